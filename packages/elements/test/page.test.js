// The element and the tabs, in Chromium.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { launchChromium } from './chromium.js';
import { startService, startShop } from './shop.js';

/** @type {Awaited<ReturnType<typeof startService>>} */
let service;
/** @type {Awaited<ReturnType<typeof startShop>>} */
let shop;
/** @type {import('playwright-core').Browser} */
let browser;
/** @type {import('playwright-core').BrowserContext} */
let visitor;

before(async () => {
  service = await startService();
  browser = await launchChromium({ ignoreDefaultArgs: ['--disable-back-forward-cache'] });
});
after(async () => {
  await browser.close();
  await service.stop();
});
beforeEach(async () => {
  shop = await startShop(service);
  visitor = await browser.newContext();
  visitor.setDefaultTimeout(15_000);
});
afterEach(async () => {
  await visitor.close();
  await shop.stop();
});

async function open(hearts = 1, more = '') {
  const page = await visitor.newPage();
  page.on('pageerror', (error) => assert.fail(error));
  await page.goto(`${shop.origin}/?hearts=${hearts}${more}`);
  await page.evaluate(() => customElements.whenDefined('wishlist-button'));
  return page;
}

/** @param {import('playwright-core').Page} page */
const heart = (page, /** @type {string | number} */ product = 1) =>
  page.locator(`wishlist-button[product-id="${product}"]`).getByRole('button');

/** @param {import('playwright-core').Locator} button @param {boolean} pressed */
const shows = (button, pressed) =>
  button.and(button.page().locator(`[aria-pressed="${pressed}"]`)).waitFor();

/** Presses, and waits for the service to have done it. @param {import('playwright-core').Locator} button */
async function press(button) {
  const done = button
    .page()
    .waitForResponse((response) => response.ok() && response.request().method() !== 'GET');
  await button.click();
  await done;
}

/** The script's own wishlist, in the page. @param {import('playwright-core').Page} page */
const listen = (page) =>
  page.evaluate(async () => {
    const { wishlist } = await import(String('/apps/wishlist/assets/wishwell.js'));
    /** @type {any} */ (window).seen = [];
    for (const type of ['change', 'error', 'shopper', 'lists', 'wishlist-change']) {
      const target = type === 'wishlist-change' ? document : wishlist;
      target.addEventListener(type, (/** @type {CustomEvent} */ event) => {
        const { saved, productId, error } = event.detail ?? {};
        /** @type {any} */ (window).seen.push([type, productId, saved, error?.status]);
      });
    }
  });

/** @param {import('playwright-core').Page} page @param {string} type */
const seen = async (page, type) =>
  (await page.evaluate(() => /** @type {any} */ (window).seen)).filter(
    (/** @type {unknown[]} */ [name]) => name === type,
  );

/** What the service has of this visitor. */
async function kept() {
  const answer = await visitor.request.get(`${shop.base}/api/items`);
  return (await answer.json()).data.map((/** @type {any} */ item) => item.productId);
}

test('48 hearts ask once, at the base of the script', async () => {
  const page = await open(48);
  await press(heart(page, 7));
  await shows(heart(page, 7), true);
  assert.deepEqual(await kept(), [7]);

  shop.requests.length = 0;
  const again = await open(48);
  await shows(heart(again, 7), true);
  assert.equal(await again.locator('wishlist-button[saved]').count(), 1);
  assert.equal(shop.requests.length, 1);
});

test('a heart that comes later, or changes its product, asks for what is new', async () => {
  const page = await open(2);
  await press(heart(page, 1));
  await shows(heart(page, 1), true);
  await page.evaluate(() => {
    const later = document.createElement('wishlist-button');
    later.setAttribute('product-id', '30');
    document.body.append(later);
    document.querySelector('[product-id="2"]')?.setAttribute('product-id', '1');
  });
  assert.equal(await page.locator('wishlist-button[saved]').count(), 2);
  await shows(heart(page, 30), false);
  // The refresh after a visitor's first save may ask for it with the others.
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => /product:[\d,]*\b30&/.test(name)),
  );
});

test('hearts of a store whose product ids are text, all digits or not', async () => {
  await shop.stop();
  shop = await startShop({ ...service, token: service.textToken() });
  const page = await open(2, '&text');
  await page.evaluate(() =>
    document.querySelector('[product-id="2"]')?.setAttribute('product-id', 'UHJvZDox='),
  );
  await press(heart(page, 1));
  await press(heart(page, 'UHJvZDox='));
  assert.deepEqual(await kept(), ['UHJvZDox=', '1']);
  const again = await open(1, '&text');
  await shows(heart(again, 1), true);
});

test('a press saves, another removes; both dispatch events', async () => {
  const page = await open();
  await listen(page);
  await press(heart(page));
  await shows(heart(page), true);
  assert.deepEqual(await kept(), [1]);
  await press(heart(page));
  await shows(heart(page), false);
  assert.deepEqual(await kept(), []);
  await page
    .waitForResponse((response) => response.request().method() === 'DELETE')
    .catch(() => {});
  assert.deepEqual(
    (await seen(page, 'wishlist-change')).map((/** @type {any[]} */ event) => event[2]),
    [true, false],
  );
});

test('keyboard: Tab reaches it with a ring, Space and Enter press it', async () => {
  const page = await open();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.localName), 'wishlist-button');
  const ring = await heart(page).evaluate((button) => getComputedStyle(button).outlineStyle);
  assert.equal(ring, 'solid');
  await page.keyboard.press('Space');
  await shows(heart(page), true);
  await page.keyboard.press('Enter');
  await shows(heart(page), false);
});

test('its name stays while aria-pressed changes', async () => {
  const page = await open();
  const named = page.getByRole('button', { name: 'Save to wishlist', exact: true });
  await named.click();
  const pressed = page.getByRole('button', {
    name: 'Save to wishlist',
    exact: true,
    pressed: true,
  });
  await pressed.waitFor();
  assert.equal(await named.getAttribute('title'), 'Save to wishlist');
});

/** @param {import('playwright-core').Page} page @param {Record<string, string>} labels */
const relabel = (page, labels, text = '') =>
  page.locator('wishlist-button').evaluate((element, [labels, text]) => {
    element.textContent = text;
    for (const [name, label] of Object.entries(labels)) element.setAttribute(name, label);
  }, /** @type {const} */ ([labels, text]));

test('with a label for each state, the name says the state in place of aria-pressed', async () => {
  const page = await open();
  await relabel(page, { label: 'Merken', 'label-saved': 'Gemerkt' });
  await page.getByRole('button', { name: 'Merken', exact: true }).click();
  const saved = page.getByRole('button', { name: 'Gemerkt', exact: true });
  assert.equal(await saved.getAttribute('aria-pressed'), null);
  assert.equal(await saved.getAttribute('title'), 'Gemerkt');
});

test('a text in the heart is its name, whatever its labels say', async () => {
  const page = await open();
  await relabel(page, { label: 'Save the mug' }, ' Keep ');
  await page.getByRole('button', { name: 'Keep', exact: true }).click();
  await page.getByRole('button', { name: 'Saved', exact: true, pressed: true }).waitFor();
  await relabel(page, { 'label-saved': 'Kept' }, ' Keep ');
  const kept = page.getByRole('button', { name: 'Kept', exact: true });
  await kept.waitFor();
  assert.equal(await kept.getAttribute('aria-pressed'), null);
  await relabel(page, { 'label-saved': 'Remove the mug' }, ' ');
  await page.getByRole('button', { name: 'Remove the mug', exact: true }).waitFor();
});

test('disabled, or without a product, it does nothing', async () => {
  const page = await open();
  for (const [name, value] of [
    ['disabled', ''],
    ['product-id', '-1'],
    ['variant-id', 'a/b'],
  ]) {
    await page.evaluate(
      ([name, value]) => {
        const element = document.createElement('wishlist-button');
        element.setAttribute('product-id', '1');
        element.setAttribute(name, value);
        document.querySelector('wishlist-button')?.replaceWith(element);
      },
      [name, value],
    );
    assert.ok(await page.getByRole('button').isDisabled(), name);
  }
});

test("it takes an icon of the shop's own, and colours without script", async () => {
  const page = await open();
  const size = await page.locator('wishlist-button').evaluate((element) => {
    element.style.setProperty('--wishlist-size', '40px');
    return element.shadowRoot?.querySelector('svg')?.getBoundingClientRect().width;
  });
  assert.equal(size, 40);
  await page.locator('wishlist-button').evaluate((element) => (element.textContent = '\n Save'));
  assert.ok(await page.getByText('Save').isVisible());
  assert.ok(await page.locator('svg').isVisible());
  await page.locator('wishlist-button').evaluate((element) => {
    const star = Object.assign(document.createElement('b'), { slot: 'icon', textContent: '★' });
    element.append(star);
  });
  assert.ok(await page.getByText('★').isVisible());
  assert.ok(await page.locator('svg').isHidden());
});

test('forced colours and reduced motion are respected', async () => {
  const page = await open();
  // The browser's own text colour may be that of buttons.
  await page.evaluate(() => (document.body.style.color = 'rgb(1, 2, 3)'));
  const look = () =>
    heart(page).evaluate((button) => {
      const probe = document.body.appendChild(document.createElement('i'));
      probe.style.color = 'ButtonText';
      const system = getComputedStyle(probe).color;
      const { transitionDuration } = getComputedStyle(
        /** @type {Element} */ (button.querySelector('svg')),
      );
      return [getComputedStyle(button).color === system, transitionDuration];
    });
  await heart(page).click();
  await shows(heart(page), true);
  assert.deepEqual(await look(), [false, '0.3s']);
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  assert.deepEqual(await look(), [true, '0s']);
});

test('two tabs agree, on hearts and on lists', async () => {
  const [one, two] = [await open(2), await open(2)];
  await listen(two);
  await heart(one, 2).click();
  await shows(heart(two, 2), true);
  await heart(two, 2).click();
  await shows(heart(one, 2), false);
  await one.evaluate(async () => {
    const { wishlist } = await import(String('/apps/wishlist/assets/wishwell.js'));
    await wishlist.lists.create({ name: 'Birthday' });
  });
  await two.waitForFunction(() =>
    /** @type {any} */ (window).seen.some((/** @type {unknown[]} */ [type]) => type === 'lists'),
  );
});

test("the first writes of two tabs at once are one visitor's", async () => {
  const [one, two] = [await open(2), await open(2)];
  shop.delay = 200;
  await Promise.all([heart(one, 1).click(), heart(two, 2).click()]);
  await shows(heart(one, 2), true);
  await shows(heart(two, 1), true);
  shop.delay = 0;
  assert.equal(shop.mostAtOnce, 1);
  assert.deepEqual((await kept()).sort(), [1, 2]);
});

test('when the shopper changes, both tabs show the new one', async () => {
  const [one, two] = [await open(2), await open(2)];
  await heart(one, 1).click();
  await shows(heart(two, 1), true);
  await Promise.all([listen(one), listen(two)]);
  await visitor.addCookies([{ name: 'customer', value: String(Date.now()), url: shop.origin }]);
  await heart(one, 2).click();
  await shows(heart(one, 1), false);
  await shows(heart(two, 1), false);
  await shows(heart(two, 2), true);
  assert.equal((await seen(one, 'shopper')).length, 1);
  assert.equal((await seen(two, 'shopper')).length, 1);
});

test('a refused press is undone, and dispatches an error', async () => {
  const page = await open();
  await listen(page);
  shop.fault = ({ method }) => (method === 'POST' ? { status: 400 } : undefined);
  await heart(page).click();
  await page.waitForFunction(() =>
    /** @type {any} */ (window).seen.some((/** @type {unknown[]} */ [type]) => type === 'error'),
  );
  await shows(heart(page), false);
  assert.deepEqual(await seen(page, 'error'), [['error', 1, false, 400]]);
  assert.deepEqual(
    (await seen(page, 'wishlist-change')).map((/** @type {any[]} */ event) => event[2]),
    [true, false],
  );
});

test('offline, a press stays; online, it is sent', async () => {
  const page = await open();
  await visitor.setOffline(true);
  await heart(page).click();
  await shows(heart(page), true);
  await page.waitForTimeout(300);
  await shows(heart(page), true);
  await visitor.setOffline(false);
  const answer = await page.waitForResponse((response) => response.request().method() === 'POST');
  assert.equal(answer.status(), 201);
  await shows(heart(page), true);
});

test('after half a minute without an answer, a press is undone', async () => {
  const page = await visitor.newPage();
  await page.clock.install();
  await page.goto(`${shop.origin}/?hearts=1`);
  await page.clock.runFor(1000);
  await listen(page);
  await visitor.setOffline(true);
  await heart(page).click();
  await shows(heart(page), true);
  // The requests fail in real time, the waits between them are the clock's.
  for (let second = 0; second < 29; second++) {
    await page.clock.runFor(1000);
    await page.waitForTimeout(20);
  }
  await shows(heart(page), true);
  for (let second = 0; second < 10; second++) {
    await page.clock.runFor(1000);
    await page.waitForTimeout(20);
  }
  await shows(heart(page), false);
  assert.deepEqual(await seen(page, 'error'), [['error', 1, false, 0]]);
});

test('after 429 it waits as long as it says, and the heart stays', async () => {
  const page = await open();
  shop.fault = ({ method }) => {
    if (method !== 'POST') return;
    shop.fault = () => undefined;
    return { status: 429, headers: { 'retry-after': '2' } };
  };
  const saved = page.waitForResponse((response) => response.status() === 201);
  await heart(page).click();
  await shows(heart(page), true);
  await saved;
  await shows(heart(page), true);
  const [first, second] = shop.api('POST', 'items').map((request) => request.at);
  assert.ok(second - first >= 1990, `${second - first}`);
});

test('a save outlives the page that it was made on', async () => {
  const page = await open();
  shop.delay = 200;
  const sent = page.waitForRequest((request) => request.method() === 'POST');
  await heart(page).click();
  await sent;
  await page.goto('about:blank');
  shop.delay = 0;
  for (let tries = 0; tries < 50 && !(await kept()).length; tries++) await page.waitForTimeout(50);
  assert.deepEqual(await kept(), [1]);
});

test('back after a minute away, it asks again', async () => {
  const page = await visitor.newPage();
  await page.clock.install();
  await page.goto(`${shop.origin}/?hearts=1`);
  await page.clock.runFor(1000);
  await press(heart(page));
  await shows(heart(page), true);
  const [{ id }] = await (
    await visitor.request.get(`${shop.base}/api/items`)
  )
    .json()
    .then((page) => page.data);
  await visitor.request.delete(`${shop.base}/api/items/${id}`);
  const turn = (/** @type {boolean} */ hidden) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    }, hidden);
  await turn(true);
  await page.clock.runFor(59_000);
  shop.requests.length = 0;
  await turn(false);
  await page.clock.runFor(1000);
  assert.equal(shop.requests.length, 0);
  await turn(true);
  await page.clock.runFor(61_000);
  await turn(false);
  await page.clock.runFor(1000);
  await shows(heart(page), false);
});

test('shown again from the back/forward cache, it asks again and hears the other tabs', async (t) => {
  const page = await open();
  await press(heart(page));
  // Playwright does not see into a page that came back, so the page tells the shop.
  await page.evaluate(() => {
    const tell = (/** @type {string} */ what) => fetch(`/apps/wishlist/api/${what}`);
    addEventListener('pageshow', ({ persisted }) => tell(`persisted/${persisted}`));
    document.addEventListener('wishlist-change', (event) =>
      tell(`saved/${/** @type {CustomEvent} */ (event).detail.saved}`),
    );
  });
  const told = async (/** @type {string} */ path) => {
    for (let tries = 0; tries < 300 && !shop.api('GET', path).length; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.equal(shop.api('GET', path).length, 1, path + JSON.stringify(shop.requests));
  };
  // A page that still waits for an answer may be kept out of the cache: the first save asks again.
  const answered = () => shop.api('GET', 'items?query').filter(({ status }) => status).length;
  for (let tries = 0; tries < 300 && answered() < 2; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await page.goto(`${shop.origin}/?hearts=0`);
  await visitor.addCookies([{ name: 'customer', value: String(Date.now()), url: shop.origin }]);
  await page.goBack({ waitUntil: 'commit' });
  for (let tries = 0; tries < 300; tries++) {
    // The browser is free to let go of a page, on a machine that is short of memory for one.
    if (shop.api('GET', 'persisted/false').length)
      return t.skip('the browser did not keep the page');
    if (shop.api('GET', 'persisted/true').length) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await told('persisted/true');
  await told('saved/false');
  const other = await open();
  await heart(other).click();
  await told('saved/true');
});

test('a browser that allows no channel between tabs has hearts', async () => {
  await visitor.addInitScript(() => {
    // As Firefox does where the shopper has blocked all storage.
    window.BroadcastChannel = /** @type {any} */ (
      function () {
        throw new DOMException('The operation is insecure.', 'SecurityError');
      }
    );
  });
  const page = await open();
  await press(heart(page));
  await shows(heart(page), true);
  assert.deepEqual(await kept(), [1]);
});

test('only an opaque mark of the shopper and a number are stored, after a save', async () => {
  const page = await open();
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.equal(await page.evaluate(() => localStorage.length), 0);
  await heart(page).click();
  await page.waitForFunction(() => localStorage['wishwell:/apps/wishlist']?.includes('"n":1'));
  await shows(heart(page), true);
  await kept();
  const stored = await page.evaluate(async () => [
    Object.keys(localStorage),
    Object.keys(JSON.parse(localStorage['wishwell:/apps/wishlist'])).sort(),
    sessionStorage.length,
    (await indexedDB.databases()).length,
    (await caches.keys()).length,
    document.cookie,
  ]);
  const known = ['customer', 'n', 'unsure', 'who'];
  assert.deepEqual(stored, [['wishwell:/apps/wishlist'], known, 0, 0, 0, '']);
});
