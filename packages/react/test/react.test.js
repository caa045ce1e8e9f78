// The package in React 19 and 18: rendered by a server without a DOM, then hydrated in Chromium, from
// WISHWELL_TEST_CHROMIUM or the usual place, against the real service.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { startService, startShop } from '../../elements/test/shop.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));

/** @type {Awaited<ReturnType<typeof startService>>} */
let service;
/** @type {import('playwright-core').Browser} */
let browser;

before(async () => {
  service = await startService();
  const said = await fetch(`${service.api}/products/1`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Mug' }),
  });
  assert.equal(said.status, 200);
  browser = await chromium.launch({
    executablePath: process.env.WISHWELL_TEST_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
});
after(async () => {
  await browser.close();
  await service.stop();
});

/** @param {string} contents @param {string} version @param {'node' | 'browser'} platform */
async function bundle(contents, version, platform) {
  const suffix = version === '18' ? '-18' : '';
  const result = await build({
    absWorkingDir: root,
    stdin: { contents, resolveDir: file('.'), loader: 'tsx' },
    bundle: true,
    format: platform === 'node' ? 'cjs' : 'esm',
    platform,
    jsx: 'automatic',
    write: false,
    alias: {
      react: `react${suffix}`,
      'react-dom': `react-dom${suffix}`,
      '@wishwell/browser': file('../../elements/src/index.ts'),
      '@wishwell/browser/page': file('../../elements/src/page.ts'),
      '@wishwell/browser/share': file('../../elements/src/share.ts'),
      '@wishwell/browser/wanted': file('../../elements/src/wanted.ts'),
    },
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  return result.outputFiles[0].text;
}

/** The page as a server renders it. @param {string} version */
async function rendered(version) {
  const source = await bundle(
    `import { renderToString } from 'react-dom/server';
     import { createWishlist } from '@wishwell/browser';
     import { App } from './app.js';
     import { useSaved } from '../src/index.js';
     export const html = renderToString(<App wishlist={createWishlist()} />);
     export const bare = () => renderToString(<Bare />);
     function Bare() { return useSaved({ productId: 1 }).saved; }`,
    version,
    'node',
  );
  const module = { exports: /** @type {any} */ ({}) };
  const { createRequire } = await import('node:module');
  new Function('module', 'exports', 'require', source)(
    module,
    module.exports,
    createRequire(import.meta.url),
  );
  return module.exports;
}

for (const version of ['19', '18']) {
  test(`React ${version}: a server renders tags, and asks nothing`, async () => {
    const { html, bare } = await rendered(version);
    assert.match(
      html,
      /<wishlist-button data-shelf="top" product-id="1" variant-id="11" match="product" label="Save the mug" label-saved="Remove the mug" class="wide">Save<\/wishlist-button>/,
    );
    assert.match(
      html,
      /<wishlist-button product-id="2" label="Save the lamp" disabled=""><\/wishlist-button>/,
    );
    assert.match(
      html,
      /<wishlist-count class="count"><\/wishlist-count><\/a><output id="count">0<\/output>/,
    );
    assert.match(
      html,
      /<wishlist-toast page="\/wishlist" sign-in="\/sign-in" class="toast"><\/wishlist-toast>/,
    );
    assert.match(html, /<output id="mug">false false none<\/output>/);
    assert.match(html, /<output id="items">loading<\/output>/);
    assert.throws(bare, /no <WishlistProvider>/);
  });

  test(`React ${version}: it hydrates, and shows what is saved`, async (t) => {
    const shop = await startShop(service);
    t.after(() => shop.stop());
    shop.later = version === '19'; // nothing depends on fields and codes that it doesn't know
    shop.fault = ({ path }) => {
      const body = '{"data": [{"productId": 1, "wishes": 1000}]}';
      return path === 'wishes?products=1' ? { status: 200, body } : undefined;
    };
    const visitor = await browser.newContext();
    t.after(() => visitor.close());
    visitor.setDefaultTimeout(15_000);
    const { html } = await rendered(version);
    const script = await bundle(
      `import { hydrateRoot } from 'react-dom/client';
       import { createWishlist } from '@wishwell/browser';
       import { App } from './app.js';
       window.wishlist = createWishlist();
       window.root = hydrateRoot(document.getElementById('root'), <App wishlist={window.wishlist} />,
         { onRecoverableError: (error) => console.error(error) });`,
      version,
      'browser',
    );
    await visitor.route('**/react', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<!doctype html><title>Shop</title><link rel="icon" href="data:,">
          <div id="root">${html}</div><script type="module" src="/app.js"></script>`,
      }),
    );
    await visitor.route('**/app.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: script }),
    );
    /** @type {string[]} */
    const wrong = [];
    visitor.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) wrong.push(message.text());
    });
    visitor.on('weberror', (error) => wrong.push(String(error.error())));

    const open = async () => {
      const page = await visitor.newPage();
      await page.goto(`${shop.origin}/react`);
      return page;
    };
    const page = await open();
    const shows = (/** @type {string} */ id, /** @type {string} */ text, at = page) =>
      at.waitForFunction(
        ([id, text]) => document.getElementById(id)?.textContent === text,
        [id, text],
      );
    const mug = page.getByRole('button', { name: 'Save', exact: true });

    // Nothing is saved; the hearts of one frame and the hooks ask once for the products.
    await shows('items', '');
    for (let waited = 0; waited < 5_000 && !shop.api('GET', 'items?query').length; waited += 50) {
      await page.waitForTimeout(50);
    }
    assert.equal(shop.api('GET', 'items?query').length, 1);
    assert.ok(await page.getByRole('button', { name: 'Save the lamp' }).isDisabled());

    await mug.click();
    await shows('mug', 'true false 11');
    await shows('told', '1 true');
    await shows('items', '1/11');
    await shows('newest', 'Mug');
    await page.locator('.later[saved]').waitFor();

    // Count, toast and events of the press, in this tab alone.
    await shows('count', '1');
    await page.locator('.count', { hasText: /^1$/ }).waitFor();
    await shows('events', 'added 1 11 Mug;');
    await page.locator('.toast').getByText('Saved to your wishlist').waitFor();
    const other = await open();
    await shows('mug', 'true false 11', other);
    await shows('count', '1', other);
    await shows('events', '', other);

    // The same item has another colour, in both tabs.
    await page.getByRole('button', { name: 'Next colour' }).click();
    await shows('mug', 'true false 12');
    await shows('items', '1/12', other);
    assert.equal(shop.api('POST', 'items').length, 1);

    // Of another list, nothing is shown that was read before.
    await page.getByRole('button', { name: 'New list' }).click();
    await page.getByRole('button', { name: 'Birthday 0' }).click();
    await shows('items', '');
    await page.evaluate(async () => {
      const { wishlist } = /** @type {any} */ (window);
      const [item] = (await wishlist.items.list()).data;
      const [list] = (await wishlist.lists.list()).data;
      await wishlist.items.setLists(item.id, [list.id]);
    });
    await page.getByRole('button', { name: 'Birthday 1' }).waitFor();
    await shows('items', '1/12');

    // The list is shared, seen as whoever has its link sees it, and copied.
    await shows('links', '0');
    await page.locator('.share').getByRole('button').first().waitFor();
    await page.getByRole('button', { name: 'Make a link' }).click();
    await shows('shared', 'Birthday 1/12');
    await page.getByRole('button', { name: 'Copy' }).click();
    await other.getByRole('button', { name: 'For me 1' }).waitFor();

    await other.locator('.wanted', { hasText: /^1,000 want it$/ }).waitFor();

    // The wishlist page, with a text of the shop's own.
    await other.getByRole('button', { name: 'Page' }).click();
    await other.locator('.page').getByRole('button', { name: 'Buy: Mug' }).click();
    await shows('told', 'cart 1', other);

    // A button of the shop's own.
    await other.getByRole('button', { name: 'Mug', exact: true }).click();
    await shows('mug', 'false false none');
    await shows('items', '');
    await shows('count', '0');
    await shows('events', 'removed 1;', other);
    assert.deepEqual(wrong, []);

    // Reading fails: it says so, and keeps what is known. Then somebody else is shopping.
    await mug.click();
    await shows('items', '1/12', other);
    shop.fault = ({ path }) => (path.startsWith('items?limit=250') ? { status: 400 } : undefined);
    await other.evaluate(() => /** @type {any} */ (window).wishlist.refresh());
    await shows('items', 'failed', other);
    shop.fault = () => undefined;
    wrong.length = 0; // the browser's own line about it
    await visitor.addCookies([{ name: 'customer', value: `${version}7`, url: shop.origin }]);
    await other.evaluate(() => /** @type {any} */ (window).wishlist.refresh());
    await shows('items', '', other);
    await shows('mug', 'false false none', other);

    // Nothing is asked, and nothing goes wrong, once it is gone.
    await other.evaluate(() => /** @type {any} */ (window).root.unmount());
    await page.close();
    // The request for the new shopper's number waits for its turn among the writes of all tabs.
    for (let count = -1; count !== shop.requests.length; await other.waitForTimeout(300))
      count = shop.requests.length;
    shop.requests.length = 0;
    await other.evaluate(() => /** @type {any} */ (window).wishlist.lists.create({ name: 'A' }));
    await other.waitForTimeout(100);
    assert.deepEqual(
      shop.requests.map(({ method }) => method),
      ['POST'],
    );
    // The list that the first tab had open is not the new shopper's.
    assert.deepEqual(
      wrong.filter((text) => !text.includes('404')),
      [],
    );
  });
}
