// Hearts of a product and of a variant, against the real service: how the shopper's choice of a variant
// changes what is saved. The element itself runs in Chromium.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { launchChromium } from './chromium.js';
import { createWishlist } from '../dist/index.js';
import { startService, startShop } from './shop.js';

/** @type {Awaited<ReturnType<typeof startService>>} */
let service;
/** @type {Awaited<ReturnType<typeof startShop>>} */
let shop;

before(async () => (service = await startService()));
after(() => service.stop());
afterEach(() => shop.stop());

async function open() {
  shop = await startShop(service, { cookies: false });
  return createWishlist({ base: shop.base });
}

/** Saves these variants of product 1, or undefined for none, as another device would; their ids. */
async function elsewhere(/** @type {(number | undefined)[]} */ ...variants) {
  const { items } = createWishlist({ base: shop.base });
  const ids = [];
  for (const variantId of variants) {
    ids.push((await items.create({ productId: 1, variantId })).id);
  }
  return ids;
}

/** The id and variant of each item that the service has, the oldest first. */
async function kept() {
  const { data } = await createWishlist({ base: shop.base }).items.list();
  return data.map(({ id, variantId }) => [id, variantId]).reverse();
}

const INK = /** @type {const} */ ({ productId: 1, variantId: 11, match: 'product' });
const OAT = { ...INK, variantId: 12 };
const sent = () => shop.requests.filter(({ method }) => method !== 'GET').map((r) => r.method);

test('a pick gives the saved item the variant, and dispatches a change', async () => {
  const wishlist = await open();
  const [id] = await elsewhere(undefined);
  await wishlist.saved(1);
  /** @type {[string, boolean][]} */
  const told = [];
  for (const { variantId } of [INK, OAT]) {
    wishlist.watch({ productId: 1, variantId }, ({ saved }, change) => {
      // Hearts of both variants are full while the item has no variant.
      const last = told.findLast(([id]) => id === `${variantId}`)?.[1] ?? true;
      if (change && saved !== last) told.push([`${variantId}`, saved]);
    });
  }
  await wishlist.refine(INK);
  assert.deepEqual(await kept(), [[id, 11]]);
  await wishlist.refine(OAT);
  assert.deepEqual(await kept(), [[id, 12]]);
  assert.deepEqual(told, [
    ['12', false],
    ['12', true],
    ['11', false],
  ]);
  shop.requests.length = 0;
  await wishlist.refine(OAT);
  assert.deepEqual(sent(), []);
});

test('a pick saves nothing that was not saved, and waits for the answer', async () => {
  const wishlist = await open();
  await wishlist.refine(INK);
  assert.deepEqual(await kept(), []);
  const [id] = await elsewhere(undefined);
  await wishlist.refresh();
  await wishlist.refine(INK);
  assert.deepEqual(await kept(), [[id, 11]]);
});

for (const [had, then, what] of /** @type {[any[], any[], string][]} */ ([
  [[13, undefined], [13, 11], 'the item without a variant gets it'],
  [[13, 14], [13, 14], 'of several variants none is changed'],
  [[undefined, 11], [undefined, 11], 'a variant that is saved already stays, and so does the rest'],
])) {
  test(`a pick with two saved: ${what}`, async () => {
    const wishlist = await open();
    const ids = await elsewhere(...had);
    await wishlist.refine(INK);
    assert.deepEqual(
      await kept(),
      ids.map((id, at) => [id, then[at]]),
    );
    assert.equal(await wishlist.toggle(INK), false);
    assert.deepEqual(await kept(), []);
  });
}

test('a press saves the variant, or refines what it finds; another removes every variant', async () => {
  const wishlist = await open();
  assert.equal(await wishlist.toggle(INK), true);
  const [[id]] = await kept();
  assert.equal(wishlist.state({ productId: 1, match: 'product', variantId: 99 }).item?.id, id);
  assert.equal((await wishlist.save({ ...OAT, note: 'Please' }))?.note, 'Please');
  assert.deepEqual(await kept(), [[id, 12]]);
  assert.equal(await wishlist.toggle(INK), false);
  assert.deepEqual(await kept(), []);
});

for (const [what, product, then] of /** @type {[string, any, number][]} */ ([
  ['refines it', INK, 11],
  ['leaves it', { productId: 1 }, 13],
])) {
  test(`a press before the first answer makes no second item of the product: ${what}`, async () => {
    const wishlist = await open();
    const [id] = await elsewhere(13);
    shop.delay = 30;
    wishlist.watch(product, () => {});
    assert.equal(await wishlist.toggle(product), true);
    assert.deepEqual(await kept(), [[id, then]]);
  });
}

test('a heart of a variant stands for the product saved without one, and adds no second card', async () => {
  const wishlist = await open();
  const [id] = await elsewhere(undefined);
  const heart = { productId: 1, variantId: 11 };
  shop.delay = 30;
  wishlist.watch(heart, () => {});
  // Pressed before the first answer, while the heart is still empty.
  assert.equal(await wishlist.toggle(heart), true);
  assert.deepEqual(await kept(), [[id, 11]]);
  assert.equal(await wishlist.saved(1, 12), false);
  assert.equal(await wishlist.saved(1), true);

  await wishlist.remove({ productId: 1 });
  await wishlist.save({ productId: 1 });
  assert.deepEqual([await wishlist.saved(1, 12), await wishlist.saved(1, 11)], [true, true]);
  const removal = wishlist.toggle(heart);
  for (const variantId of [undefined, 11, 12])
    assert.deepEqual(wishlist.state({ productId: 1, variantId }).saved, false, `${variantId}`);
  assert.equal(await removal, false);
  assert.deepEqual(await kept(), []);
});

test('a variant is shown as saved while the save of its product is sent, and only that variant', async () => {
  const wishlist = await open();
  await wishlist.saved(1);
  shop.delay = 30;
  const shown = () =>
    [11, 12].map((variantId) => wishlist.state({ productId: 1, variantId }).saved);
  const save = wishlist.save(INK);
  assert.deepEqual(shown(), [true, false]);
  await save;
  assert.deepEqual(shown(), [true, false]);
  const whole = wishlist.save({ productId: 2 });
  assert.equal(wishlist.state({ productId: 2, variantId: 21 }).pending, true);
  assert.equal(wishlist.state({ productId: 2, variantId: 21 }).saved, true);
  await whole;
});

test('a GID is read, and a save puts the item on the list that it names', async () => {
  const wishlist = await open();
  const gid = 'gid://shopify/Product/7';
  const [one, other] = await Promise.all([
    wishlist.save({
      productId: gid,
      variantId: 'gid://shopify/ProductVariant/71',
      listName: 'Later',
    }),
    wishlist.save({ productId: 8, listName: 'later', tags: ['gift'], quantity: 2 }),
  ]);
  assert.deepEqual([one?.productId, one?.variantId, other?.quantity], [7, 71, 2]);
  assert.deepEqual(one?.listIds, other?.listIds);
  const { data } = await wishlist.lists.list();
  assert.deepEqual(
    data.map(({ name, itemCount }) => [name, itemCount]),
    [['Later', 2]],
  );
  assert.deepEqual(
    [await wishlist.saved(gid), wishlist.state({ productId: gid }).saved],
    [true, true],
  );
});

test('picks and presses in a row end as the last of them', async () => {
  const wishlist = await open();
  await wishlist.saved(1);
  shop.delay = 30;
  const press = wishlist.toggle(INK);
  await new Promise((resolve) => setTimeout(resolve, 15));
  await Promise.all([wishlist.refine({ ...INK, variantId: 13 }), wishlist.refine(OAT), press]);
  assert.deepEqual(
    (await kept()).map(([, variantId]) => variantId),
    [12],
  );
  assert.deepEqual(sent(), ['POST', 'PATCH']);

  const pick = wishlist.refine(INK);
  await new Promise((resolve) => setTimeout(resolve, 15));
  await Promise.all([pick, wishlist.toggle(INK)]);
  assert.equal(wishlist.state(INK).saved, false);
  assert.deepEqual(await kept(), []);
  // The removal is on its way: there is nothing that a pick is of.
  await wishlist.save(INK);
  await Promise.all([wishlist.toggle(INK), wishlist.refine(OAT)]);
  assert.deepEqual(await kept(), []);
});

test('a pick changes nothing if another device was faster, and the heart shows the true state', async () => {
  const wishlist = await open();
  /** @type {unknown[]} */
  const errors = [];
  wishlist.addEventListener('error', ({ detail }) => errors.push(detail));
  const ids = await elsewhere(undefined);
  await wishlist.saved(1);
  ids.push(...(await elsewhere(11)));
  await wishlist.refine(INK);
  assert.deepEqual(await kept(), [
    [ids[0], undefined],
    [ids[1], 11],
  ]);
  assert.equal(wishlist.state({ productId: 1, variantId: 11 }).saved, true);

  await createWishlist({ base: shop.base }).items.delete(ids);
  await wishlist.refine(OAT);
  assert.deepEqual([wishlist.state(OAT).saved, await kept()], [false, []]);
  assert.deepEqual(errors, []);
});

test('a pick that fails dispatches an error, and the item stays as it was', async () => {
  const wishlist = await open();
  const [id] = await elsewhere(13);
  await wishlist.saved(1);
  /** @type {any[]} */
  const errors = [];
  wishlist.addEventListener('error', ({ detail }) => errors.push(detail));
  shop.fault = ({ method }) => (method === 'PATCH' ? { status: 400 } : undefined);
  await assert.rejects(wishlist.refine(INK), { status: 400 });
  assert.deepEqual(
    errors.map(({ productId, saved, error }) => [productId, saved, error.status]),
    [[1, true, 400]],
  );
  assert.deepEqual(await kept(), [[id, 13]]);
});

test('what changes while a save is sent is sent too', async () => {
  const wishlist = await open();
  shop.delay = 30;
  const first = wishlist.save({ productId: 1, quantity: 2 });
  await new Promise((resolve) => setTimeout(resolve, 15));
  await Promise.all([first, wishlist.save({ productId: 1, quantity: 3 })]);
  assert.equal((await wishlist.items.list()).data[0].quantity, 3);
});

test('the element: a product heart follows the picks of the shopper', async (t) => {
  shop = await startShop(service);
  const browser = await launchChromium();
  t.after(() => browser.close());
  const visitor = await browser.newContext();
  visitor.setDefaultTimeout(15_000);
  const page = await visitor.newPage();
  const other = await visitor.newPage();
  page.on('pageerror', (error) => assert.fail(error));

  const heart = (at = page, which = 0) => at.locator('wishlist-button').nth(which);
  const shows = (/** @type {boolean} */ saved, at = page, which = 0) =>
    heart(at, which)
      .getByRole('button')
      .and(at.locator(`[aria-pressed="${saved}"]`))
      .waitFor();
  const set = (/** @type {Record<string, string>} */ attributes, which = 0) =>
    heart(page, which).evaluate((element, attributes) => {
      for (const name in attributes) element.setAttribute(name, attributes[name]);
    }, attributes);
  const written = (/** @type {string} */ method) =>
    page.waitForResponse((answer) => answer.ok() && answer.request().method() === method);
  const kept = async () => {
    const answer = await visitor.request.get(`${shop.base}/api/items`);
    return (await answer.json()).data.map((/** @type {any} */ { id, productId, variantId }) => {
      return [id, productId, variantId];
    });
  };

  await page.goto(`${shop.origin}/?hearts=2`);
  await other.goto(`${shop.origin}/?hearts=1`);
  await Promise.all([written('POST'), heart().click()]);
  await shows(true, other);
  const [[id]] = await kept();

  // A pick is one of the shopper; the page comes with a variant, and that says nothing.
  await set({ match: 'product', 'variant-id': '11' });
  await page.waitForTimeout(100);
  await shows(true);
  await Promise.all([written('PATCH'), set({ 'variant-id': '12' })]);
  assert.deepEqual(await kept(), [[id, 1, 12]]);
  await shows(true, other);

  // On to another product, in either order of the attributes, and back: no pick.
  await set({ 'product-id': '2', 'variant-id': '21' });
  await shows(false);
  await set({ 'variant-id': '11', 'product-id': '1' });
  await shows(true);
  // Nor is a heart that comes later.
  await page.evaluate(() => {
    const later = document.createElement('wishlist-button');
    for (const [name, value] of [
      ['product-id', '1'],
      ['match', 'product'],
      ['variant-id', '13'],
    ]) {
      later.setAttribute(name, value);
    }
    document.body.append(later);
  });
  await shows(true, page, 2);
  // A heart of a variant is of that one alone.
  await set({ 'product-id': '1', 'variant-id': '13', match: 'variant' }, 1);
  await shows(false, page, 1);
  await set({ 'variant-id': '12' }, 1);
  await shows(true, page, 1);
  assert.deepEqual(await kept(), [[id, 1, 12]]);

  await Promise.all([written('DELETE'), heart().click()]);
  for (const [at, which] of /** @type {const} */ ([
    [page, 1],
    [page, 2],
    [other, 0],
  ])) {
    await shows(false, at, which);
  }
  assert.deepEqual(await kept(), []);

  // What a script of the page sets before the shopper has touched it is no pick. (What a test
  // evaluates counts as touched.)
  await Promise.all([written('POST'), heart().click()]);
  await visitor.addInitScript(() => {
    const set = (/** @type {string} */ name, /** @type {string} */ value) =>
      document.querySelector('wishlist-button')?.setAttribute(name, value);
    addEventListener('DOMContentLoaded', () => set('match', 'product'));
    addEventListener('load', () => set('variant-id', '15'));
  });
  shop.requests.length = 0;
  const loaded = await visitor.newPage();
  await loaded.goto(`${shop.origin}/?hearts=1`);
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.deepEqual(sent(), []);
  await shows(true, loaded);
  await loaded.evaluate(() =>
    document.querySelector('wishlist-button')?.setAttribute('variant-id', '16'),
  );
  for (let tries = 0; tries < 100 && !sent().length; tries++) await loaded.waitForTimeout(50);
  assert.deepEqual(sent(), ['PATCH']);
});
