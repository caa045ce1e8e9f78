// What shoppers do, in Chromium and in Firefox, against the real service.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { BROWSERS, visit } from './browsers.js';
import { startService, startShop } from './shop.js';

/** @typedef {import('puppeteer-core').Page} Page */

/** @type {Awaited<ReturnType<typeof startService>>} */
let service;
before(async () => (service = await startService()));
after(() => service.stop());

/**
 * Runs a function in the page until it returns something true.
 *
 * @param {Page} page @param {string} what @param {any[]} arguments_
 */
async function until(page, what, ...arguments_) {
  const call = `(${what})(...${JSON.stringify(arguments_)})`;
  // Not by waitForFunction, which the page's content security policy forbids.
  for (const end = Date.now() + 10_000; ;) {
    const value = await page.evaluate(`${HELP};${call}`);
    if (value) return value;
    if (Date.now() > end) throw new Error(`Never true: ${call}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
// Finds an element in all shadow trees, by selector or by the text of a button or label.
const HELP = `
  globalThis.every = (root = document) => [...root.querySelectorAll('*')].flatMap((node) =>
    [node, ...(node.shadowRoot ? every(node.shadowRoot) : [])]);
  globalThis.find = (what, at = 0) => every().filter((node) => what.startsWith('=')
    ? node.matches('button,label,a') && node.textContent.trim() === what.slice(1)
    : node.matches(what))[at];
  globalThis.focused = () => {
    let now = document.activeElement;
    while (now?.shadowRoot?.activeElement) now = now.shadowRoot.activeElement;
    return now;
  }`;

/** The element, once it is in the page. @param {Page} page @param {string} what */
async function found(page, what, at = 0) {
  await until(page, '(...of) => !!find(...of)', what, at);
  const handle = await page.evaluateHandle(`${HELP};find(...${JSON.stringify([what, at])})`);
  return /** @type {import('puppeteer-core').ElementHandle} */ (handle.asElement());
}
const press = async (/** @type {Page} */ page, /** @type {string} */ what, at = 0) => {
  await page.bringToFront();
  await (await found(page, what, at)).click();
};
const gone = (/** @type {Page} */ page, /** @type {string} */ what) =>
  until(page, '(what) => !find(what)', what);
const isFocused = (/** @type {Page} */ page, /** @type {string} */ what) =>
  until(page, '(what) => focused() === find(what)', what);
/** Presses keys, one after the other. @param {Page} page @param {import('puppeteer-core').KeyInput[]} keys */
async function keys(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
}
/** Whether each heart is full, once it is so. @param {Page} page @param {boolean[]} full */
const shows = (page, ...full) =>
  until(
    page,
    `(full) => {
      const hearts = [...document.querySelectorAll('wishlist-button')];
      return full.every((saved, at) => hearts[at].hasAttribute('saved') === saved);
    }`,
    full,
  );
const HEART = '[part=button]';
const MENU = '[role=dialog]';

/** The shopper's items, oldest first, with the names of their lists. @param {Page} page */
const items = (page) =>
  page.evaluate(async () => {
    const get = async (/** @type {string} */ path) => {
      const answer = await fetch(`/apps/wishlist/api/${path}`);
      return /** @type {any[]} */ ((await answer.json()).data);
    };
    const names = new Map((await get('lists')).map(({ id, name }) => [id, name]));
    return (await get('items'))
      .map(({ productId, variantId, quantity, tags, listIds }) => ({
        productId,
        ...(variantId && { variantId }),
        quantity,
        tags,
        lists: /** @type {string[]} */ (listIds).map((id) => names.get(id)).sort(),
      }))
      .reverse();
  });

/** Waits for items, because a page shows a change before the service has it. */
async function kept(/** @type {Page} */ page, /** @type {any[]} */ expected) {
  for (let tries = 0; ; tries++) {
    const now = await items(page);
    try {
      return assert.deepEqual(
        now.map((item, at) =>
          Object.fromEntries(
            Object.keys(expected[at] ?? item).map((key) => [
              key,
              item[/** @type {'tags'} */ (key)],
            ]),
          ),
        ),
        expected,
      );
    } catch (error) {
      if (tries > 40) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Saves from a script of the page: products, variants, lists. @param {Page} page @param {object[]} wanted */
const save = (page, ...wanted) =>
  page.evaluate(async (wanted) => {
    const script = '/apps/wishlist/assets/wishwell.js';
    const { wishlist } = await import(script);
    for (const item of wanted) await wishlist.items.create(item);
  }, wanted);

/**
 * @typedef {{ page: Page, said: string[], shop: Awaited<ReturnType<typeof startShop>>,
 *   open: (html?: string, query?: string) => Promise<void>, another: () => Promise<Page> }} World
 * @type {[name: string, run: (world: World) => Promise<unknown>][]}
 */
const TABLE = [
  [
    'without its script, a heart keeps its space and shows nothing',
    async ({ page, shop }) => {
      const documents = await readFile(
        new URL('../../../docs/browser.md', import.meta.url),
        'utf8',
      );
      shop.css = documents.match(/^(wishlist-button:not\(:defined\) \{[^}]*\})/m)?.[1] ?? '';
      await page.evaluateOnNewDocument(() => {
        customElements.define = () => {};
      });
      await page.goto(`${shop.origin}/`);
      const seen = await page.evaluate(() => {
        const heart = /** @type {HTMLElement} */ (document.querySelector('wishlist-button'));
        const { width, height } = heart.getBoundingClientRect();
        return [width, height, getComputedStyle(heart).visibility];
      });
      assert.deepEqual(seen, [44, 44, 'hidden']);
    },
  ],
  [
    'a press saves, another removes, and other tabs follow',
    async ({ page, open, another }) => {
      await open();
      const other = await another();
      await press(page, HEART);
      await shows(page, true);
      await shows(other, true);
      await kept(page, [{ productId: 1 }]);
      await press(other, HEART);
      await shows(page, false);
      await kept(page, []);
    },
  ],
  [
    'a heart saves on its list, with its tags and quantity',
    async ({ page, open }) => {
      await open(
        '<wishlist-button product-id="1" list="Later" tags="gift, red" quantity="3"></wishlist-button>' +
          '<wishlist-button product-id="2" list=" LATER "></wishlist-button>',
      );
      await press(page, HEART);
      await press(page, HEART, 1);
      await kept(page, [
        { productId: 1, quantity: 3, tags: ['gift', 'red'], lists: ['Later'] },
        { productId: 2, quantity: 1, tags: [], lists: ['Later'] },
      ]);
    },
  ],
  [
    'by keyboard, a press opens the lists, and Escape closes them',
    async ({ page, open }) => {
      await open(
        `<wishlist-button product-id="1" choose-list></wishlist-button><a href="#x">After</a>`,
      );
      await save(page, { productId: 9, listName: 'Birthday' });
      await (await found(page, HEART)).focus();
      await keys(page, 'Enter');
      await isFocused(page, MENU);
      assert.equal(await until(page, '() => find("[part=button]").ariaExpanded'), 'true');
      await found(page, '=Birthday');
      await keys(page, 'Tab', ' ');
      await kept(page, [{ productId: 9 }, { productId: 1, lists: ['Birthday'] }]);
      // Arrow keys go from one to the next too.
      await keys(page, 'ArrowDown', 'Enter');
      await isFocused(page, '.field');
      await page.keyboard.type('Garden');
      await keys(page, 'Enter');
      await kept(page, [{ productId: 9 }, { productId: 1, lists: ['Birthday', 'Garden'] }]);
      await until(page, '() => find("input", 1)?.checked && find("input").checked');
      await isFocused(page, '.new');
      await keys(page, 'ArrowUp', ' ');
      await kept(page, [{ productId: 9 }, { productId: 1, lists: ['Birthday'] }]);
      await keys(page, 'Escape');
      await gone(page, MENU);
      await isFocused(page, HEART);
      assert.equal(await page.evaluate(`${HELP};find('[part=button]').ariaExpanded`), 'false');
      // With the product saved, a press opens the menu again. Tab leaves and closes it.
      await keys(page, ' ');
      await isFocused(page, MENU);
      await until(page, '() => find("input")?.checked');
      await keys(page, 'ArrowUp');
      await isFocused(page, '.done');
      await keys(page, 'Escape', ' ');
      await isFocused(page, MENU);
      await until(page, '() => find("input")?.checked');
      await keys(page, 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab');
      await gone(page, MENU);
      await isFocused(page, 'a');
      await shows(page, true);
    },
  ],
  [
    'by touch, a press opens the lists in the window; one beside them closes them',
    async ({ page, open }) => {
      await open(
        `<p>Beside</p><a id="card" href="#followed"><wishlist-button product-id="1" choose-list></wishlist-button></a>`,
        'dir=rtl',
      );
      await save(page, ...['A', 'B', 'C'].map((listName) => ({ productId: 9, listName })));
      await press(page, HEART);
      await press(page, '=B');
      await kept(page, [{ productId: 9 }, { productId: 1, lists: ['B'] }]);
      const box = await page.evaluate(`${HELP};
        (() => { const { left, top, right, bottom } = find("[part=menu]").getBoundingClientRect();
          return { inside: left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight,
            aligned: Math.abs(right - find('[part=button]').getBoundingClientRect().right) < 9 } })()`);
      assert.deepEqual(box, { inside: true, aligned: true });
      await press(page, '=New list');
      await (await found(page, '.field')).type('D');
      await press(page, '=Create');
      await kept(page, [{ productId: 9 }, { productId: 1, lists: ['B', 'D'] }]);
      await press(page, 'p');
      await gone(page, MENU);
      await shows(page, true);
      await press(page, HEART);
      await press(page, '=Done');
      await gone(page, MENU);
      await press(page, HEART);
      await press(page, '.remove:enabled');
      await shows(page, false);
      await kept(page, [{ productId: 9 }]);
      assert.equal(await page.evaluate('location.hash'), '');
    },
  ],
  [
    'the menu is whole in a browser without popovers, inside of a moved and cut-off card',
    async ({ page, open, shop }) => {
      await page.evaluateOnNewDocument(() => {
        delete (/** @type {any} */ (HTMLElement.prototype).popover);
      });
      shop.css = 'div{transform:translate(9rem,4rem);width:20rem;height:20rem}';
      await open('<div><wishlist-button product-id="1" choose-list></wishlist-button></div>');
      await save(page, { productId: 9, listName: 'A' });
      await press(page, HEART);
      await found(page, '.new:enabled');
      const gap = `(() => {
        const [menu, heart] = [find("[part=menu]"), find('[part=button]')].map((node) => node.getBoundingClientRect());
        return [menu.left - heart.left, menu.top - heart.bottom].map(Math.round);
      })()`;
      assert.deepEqual(await page.evaluate(`${HELP};${gap}`), [0, 8]);
    },
  ],
  [
    'a failed change is shown in the menu, and the box is as before',
    async ({ page, open, shop }) => {
      await open('<wishlist-button product-id="1" choose-list></wishlist-button>');
      await save(page, { productId: 9, listName: 'A' });
      await press(page, HEART);
      shop.fault = ({ method }) => (method === 'PUT' ? { status: 400 } : undefined);
      await press(page, '=A');
      await found(page, '[role=alert]');
      await until(page, '() => !find("input").checked');
      shop.fault = () => undefined;
      await press(page, '=A');
      await gone(page, '[role=alert]');
      await kept(page, [{ productId: 9 }, { productId: 1, lists: ['A'] }]);
    },
  ],
  [
    'a heart of several variants shows the lists of all',
    async ({ page, open }) => {
      await open('<wishlist-button product-id="1" choose-list></wishlist-button>');
      await save(
        page,
        { productId: 1, variantId: 11, listName: 'A' },
        { productId: 1, variantId: 12 },
      );
      await shows(page, true);
      await press(page, HEART);
      await until(page, '() => find("input")?.indeterminate');
      await press(page, '=A');
      await kept(page, [
        { variantId: 11, lists: ['A'] },
        { variantId: 12, lists: ['A'] },
      ]);
    },
  ],
  [
    'a heart with text has a gap, and another text when saved',
    async ({ page, open }) => {
      await open(
        '<wishlist-button product-id="1">Save for later</wishlist-button>' +
          '<wishlist-button product-id="2" label-saved="Kept">Keep</wishlist-button>' +
          '<wishlist-button product-id="3"></wishlist-button>',
      );
      const seen = () =>
        page.evaluate(`${HELP};[0, 1].map((at) => {
          const button = find('[part=button]', at);
          const [icon, ...texts] = [...button.children].map((node) => node.localName === 'slot'
            ? node.assignedNodes({ flatten: true })[0] : node.firstChild).filter(Boolean);
          const shown = texts.map((text) => { const range = document.createRange();
            range.selectNode(text); return [text.data, range.getBoundingClientRect()]; })
            .filter(([, { width }]) => width);
          return [shown.map(([data]) => data).join(),
            Math.round(shown[0][1].left - icon.getBoundingClientRect().right) > 3, button.ariaPressed];
        })`);
      assert.deepEqual(await seen(), [
        ['Save for later', true, 'false'],
        ['Keep', true, null],
      ]);
      await press(page, HEART);
      await press(page, HEART, 1);
      await shows(page, true, true);
      assert.deepEqual(await seen(), [
        ['Saved', true, 'true'],
        ['Kept', true, null],
      ]);
      const widths = `find('[part=button]', 2).getBoundingClientRect()`;
      assert.deepEqual(
        await page.evaluate(`${HELP};(({ width, height }) => [width, height])(${widths})`),
        [44, 44],
      );
    },
  ],
  [
    'hearts and their menu speak the language of the page',
    async ({ page, open }) => {
      await open(
        '<wishlist-button product-id="1" choose-list></wishlist-button>' +
          '<wishlist-button product-id="2">Merken</wishlist-button>',
        'lang=de-AT',
      );
      await until(page, '(text) => find("[part=button]").ariaLabel === text', 'Auf den Merkzettel');
      await press(page, HEART, 1);
      await found(page, '=Gemerkt');
      await save(page, { productId: 9, listName: 'A' });
      await press(page, HEART);
      await found(page, '=Neue Liste');
      const label = `${HELP};find('[role=dialog]').ariaLabel`;
      assert.equal(await page.evaluate(label), 'Auf deinem Merkzettel gespeichert');
    },
  ],
  [
    'a GID is read, and the console says which id is wrong',
    async ({ page, open, said }) => {
      await open(
        '<wishlist-button product-id="gid://shopify/Product/7" variant-id="gid://shopify/ProductVariant/71"></wishlist-button>' +
          '<wishlist-button product-id="{{ product.id }}"></wishlist-button>',
      );
      await press(page, HEART);
      await kept(page, [{ productId: 7, variantId: 71 }]);
      assert.equal(await page.evaluate(`${HELP};find('[part=button]', 1).disabled`), true);
      assert.match(
        said.join(),
        /<wishlist-button>: "\{\{ product\.id \}\}" isn't the id of a product/,
      );
    },
  ],
  [
    'the heart of the product page recognises the product saved in a list of products',
    async ({ page, open }) => {
      await open(
        '<wishlist-button product-id="1"></wishlist-button>' +
          '<wishlist-button product-id="1" variant-id="11"></wishlist-button>',
      );
      await press(page, HEART);
      await shows(page, true, true);
      await kept(page, [{ productId: 1 }]);
      await press(page, HEART, 1);
      await shows(page, false, false);
      await kept(page, []);
      await press(page, HEART, 1);
      await shows(page, true, true);
      await kept(page, [{ productId: 1, variantId: 11 }]);
    },
  ],
  [
    'a dialog of the page has no scrollbar if there is room',
    async ({ page, open, shop }) => {
      shop.scripts = ['page'];
      await open('<wishlist-page></wishlist-page>');
      await save(page, { productId: 1, listName: 'A' });
      await press(page, '.options');
      await found(page, 'dialog[open] .choice');
      const spare = `(({ scrollHeight, clientHeight, offsetWidth, clientWidth }) =>
        [scrollHeight - clientHeight, offsetWidth - clientWidth])(find('dialog[open]'))`;
      assert.deepEqual(await page.evaluate(`${HELP};${spare}`), [0, 0]);
    },
  ],
  ...['ltr', 'rtl'].map(
    (dir) =>
      /** @type {typeof TABLE[0]} */ ([
        `arrow keys choose the tab beside, ${dir}`,
        async ({ page, open, shop }) => {
          shop.scripts = ['page'];
          await open('<wishlist-page></wishlist-page>', `dir=${dir}`);
          await save(page, ...['A', 'B'].map((listName) => ({ productId: 1, listName })));
          await found(page, '.tab', 2);
          await (await found(page, '.tab')).focus();
          const [on, back] = /** @type {const} */ (['ArrowRight', 'ArrowLeft']);
          await keys(page, dir === 'ltr' ? on : back);
          await until(page, '() => focused() === find(".tab", 1)');
          await keys(page, dir === 'ltr' ? back : on);
          await until(page, '() => focused() === find(".tab")');
        },
      ]),
  ),
  [
    'a link is shown where copying is refused',
    async ({ page, open, shop }) => {
      shop.scripts = ['page'];
      await page.evaluateOnNewDocument(() => {
        Object.defineProperty(navigator, 'clipboard', { value: undefined });
      });
      await open('<wishlist-page></wishlist-page>');
      await save(page, { productId: 1, listName: 'A' });
      await press(page, '.tab', 1);
      await press(page, '.menu');
      await press(page, '.share');
      await until(page, '() => !!find(".create")');
      await press(page, '.create');
      await until(page, '() => /shared#/.test(find("input[readonly]")?.value)');
    },
  ],
];

for (const [name, launch] of Object.entries(BROWSERS)) {
  describe(name, () => {
    /** @type {import('puppeteer-core').Browser} */
    let browser;
    before(async () => (browser = await launch()), { timeout: 120_000 });
    after(() => browser?.close());
    for (const [what, run] of TABLE) {
      test(what, async (t) => {
        const shop = await startShop(service);
        t.after(() => shop.stop());
        const { page, context, said } = await visit(browser, t);
        const go = async (/** @type {Page} */ page, query = '') => {
          await page.goto(`${shop.origin}/?${query}`);
          await until(page, `() => !document.querySelector('wishlist-button:not(:defined)')`);
        };
        const open = (html = '', query = '') => {
          shop.html = html;
          return go(page, query);
        };
        const another = async () => {
          const other = await context.newPage();
          await go(other);
          return other;
        };
        await run({ page, said, shop, open, another });
      });
    }
  });
}
