// The API's operations, retries, their order and the questions what is saved, as built for npm, against
// the real service.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { createWishlist, WishlistError } from '../dist/index.js';
import { startService, startShop } from './shop.js';

/** @type {Awaited<ReturnType<typeof startService>>} */
let service;
/** @type {Awaited<ReturnType<typeof startShop>>} */
let shop;

before(async () => {
  service = await startService();
  textToken = service.textToken();
});
after(() => service.stop());
afterEach(() => shop.stop());

/** @param {import('../dist/index.js').WishlistOptions} [options] */
async function open(options, token = service.token) {
  shop = await startShop({ api: service.api, token }, { cookies: false });
  return createWishlist({ base: shop.base, ...options });
}

/** Of the store whose product ids are text. @type {string} */
let textToken;

/** Each fault once, then none. @param {ReturnType<typeof shop.fault>[]} faults */
const once = (...faults) => {
  shop.fault = () => faults.shift();
};

/** @param {EventTarget} target @param {string} type */
function collect(target, type) {
  /** @type {any[]} */
  const seen = [];
  target.addEventListener(type, (event) => seen.push(/** @type {CustomEvent} */ (event).detail));
  return seen;
}

test('items and lists answer with the records of the API', async () => {
  const { items, lists } = await open();
  const list = await lists.create({ name: 'Birthday' });
  const item = await items.create({ productId: 7, variantId: 8, quantity: 2 });
  assert.equal(item.quantity, 2);
  assert.deepEqual((await items.setLists(item.id, [list.id])).listIds, [list.id]);
  assert.equal((await items.update(item.id, { variantId: null })).variantId, undefined);
  assert.equal((await items.find(item.id)).productId, 7);
  assert.equal((await lists.find(list.id, { sort: 'customer' })).items[0].id, item.id);
  assert.equal((await lists.order(list.id, [item.id])).items[0].id, item.id);
  assert.equal((await lists.replaceItems(list.id, [item.id])).items[0].id, item.id);
  await lists.removeItems(list.id, [item.id]);
  assert.equal((await lists.find(list.id)).itemCount, 0);
  await lists.replaceItems(list.id, [item.id]);
  await lists.removeItems(list.id, 'all');
  assert.equal((await lists.find(list.id)).itemCount, 0);
  await lists.replaceItems(list.id, [item.id]);
  assert.equal((await lists.update(list.id, { name: 'Mine' })).name, 'Mine');
  assert.equal((await lists.list({ limit: 1 })).data[0].itemCount, 1);
  await lists.delete(list.id);
  assert.deepEqual((await items.find(item.id)).listIds, []);
  await items.delete([item.id]);
  assert.deepEqual((await items.list()).data, []);
});

test('all walks every page once', async () => {
  const { items } = await open();
  for (let id = 1; id <= 7; id++) await items.create({ productId: id });
  const seen = [];
  for await (const item of items.all({ limit: 3 })) seen.push(item.productId);
  assert.deepEqual(seen, [7, 6, 5, 4, 3, 2, 1]);
  assert.equal(shop.api('GET', 'items').length, 3);
});

test('items read with and without their products are the same items', async () => {
  const wishlist = await open();
  const said = await fetch(`${service.api}/products/77`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Mug' }),
  });
  assert.equal(said.status, 200);
  await wishlist.save({ productId: 77 });
  const changes = collect(wishlist, 'change');
  for (const include of /** @type {const} */ ([undefined, 'product', undefined])) {
    const [item] = (await wishlist.items.list({ include })).data;
    assert.equal(item.product?.title, include && 'Mug');
  }
  assert.deepEqual(changes, []);
  assert.equal(wishlist.state({ productId: 77 }).saved, true);
});

test('more than 100 ids are deleted in several requests', async () => {
  const { items } = await open();
  const ids = [];
  for (let id = 1; id <= 101; id++) ids.push((await items.create({ productId: id })).id);
  await items.delete(ids);
  assert.equal(shop.api('DELETE', 'items?itemIds=').length, 2);
  assert.deepEqual((await items.list()).data, []);
});

test('an error has status, message and request id of the answer', async () => {
  const { items } = await open();
  await items.create({ productId: 1 });
  await assert.rejects(items.create({ productId: -1 }), (error) => {
    assert.ok(error instanceof WishlistError);
    assert.equal(error.status, 400);
    assert.match(error.message, /productId/);
    assert.match(error.requestId ?? '', /^[0-9a-f-]{36}$/);
    assert.equal(error.code, 'invalid_request');
    return true;
  });
});

test('a later version of the service is read: unknown fields are kept, unknown codes are texts', async () => {
  const wishlist = await open();
  shop.later = true;
  const { items, lists } = wishlist;
  const item = await items.create({ productId: 7, quantity: 2 });
  assert.equal(item.quantity, 2);
  assert.equal(item['unknownField'], 1);
  const list = await lists.create({ name: 'Birthday' });
  assert.equal((await lists.replaceItems(list.id, [item.id])).items[0].id, item.id);
  assert.deepEqual((await items.list()).data[0].listIds, [list.id]);
  assert.equal(await wishlist.saved(7), true);
  await assert.rejects(items.find('unknown'), (error) => {
    assert.ok(error instanceof WishlistError);
    assert.deepEqual([error.status, error.code], [404, 'code_of_2030']);
    return true;
  });
});

test('an answer of a server in between is an error, whatever its status', async () => {
  const { items } = await open();
  once({ status: 200, body: '<h1>Sign in to the wireless network</h1>' });
  await assert.rejects(items.list(), { name: 'WishlistError', status: 200 });
});

test('48 products are asked for in one request, and once', async () => {
  const wishlist = await open();
  await wishlist.items.create({ productId: 3 });
  await wishlist.items.create({ productId: 4, variantId: 1 });
  const ids = Array.from({ length: 48 }, (_, at) => at + 1);
  const saved = await Promise.all(ids.map((id) => wishlist.saved(id)));
  assert.deepEqual(
    ids.filter((_, at) => saved[at]),
    [3, 4],
  );
  assert.deepEqual(await Promise.all([wishlist.saved(4, 1), wishlist.saved(4, 2)]), [true, false]);
  const [asked, ...more] = shop.api('GET', 'items');
  assert.equal(asked.path, `items?query=product:${ids}&limit=250&include=product`);
  assert.deepEqual(more, []);
});

test('201 products are asked for by the hundred', async () => {
  const wishlist = await open();
  await wishlist.items.create({ productId: 201 });
  const ids = Array.from({ length: 201 }, (_, at) => at + 1);
  const saved = await Promise.all(ids.map((id) => wishlist.saved(id)));
  assert.deepEqual(
    ids.filter((_, at) => saved[at]),
    [201],
  );
  assert.equal(shop.api('GET', 'items').length, 3);
});

test('a product with more saved variants than fit a page is read whole', async () => {
  const wishlist = await open();
  for (let id = 1; id <= 251; id++) await wishlist.items.create({ productId: 1, variantId: id });
  const fresh = createWishlist({ base: shop.base });
  assert.deepEqual(await Promise.all([fresh.saved(1, 1), fresh.saved(1, 251)]), [true, true]);
  assert.equal(shop.api('GET', 'items').length, 2);
});

test('a bad product number fails alone', async () => {
  const wishlist = await open();
  const [good, bad] = await Promise.allSettled([wishlist.saved(1), wishlist.saved(NaN)]);
  assert.equal(good.status, 'fulfilled');
  assert.equal(bad.status, 'rejected');
});

test('a text is a product id: asked for, shown, watched and removed', async () => {
  const wishlist = await open({}, textToken);
  const ids = ['UHJvZDox=', 'prod_01', 'a:b~c', 'a', '007', 'x'.repeat(100)];
  const changes = collect(wishlist, 'change');
  for (const productId of ids) {
    await wishlist.save({ productId, variantId: 'b:', note: 'For Ada' });
    assert.equal(changes.at(-1).productId, productId);
  }
  const fresh = createWishlist({ base: shop.base });
  shop.requests.length = 0;
  const saved = await Promise.all([...ids, 'A'].map((id) => fresh.saved(id)));
  assert.deepEqual(saved, [...ids.map(() => true), false]);
  assert.equal(shop.requests.length, 1);
  assert.equal(await fresh.saved('a', 'b'), false);
  assert.equal(fresh.state({ productId: 'a', variantId: 'b:' }).item?.note, 'For Ada');
  for (const productId of ids) await fresh.remove({ productId });
  assert.deepEqual((await fresh.items.list()).data, []);
});

test('digits are text if the page says so', async () => {
  const wishlist = await open({ productIds: 'text' }, textToken);
  await wishlist.save({ productId: 123, variantId: '4' });
  const [item] = (await wishlist.items.list()).data;
  assert.deepEqual([item.productId, item.variantId], ['123', '4']);
  assert.deepEqual(await Promise.all([wishlist.saved('123', 4), wishlist.saved('0123')]), [
    true,
    false,
  ]);
  // Without it they are shown and removed all the same.
  const unsaid = createWishlist({ base: shop.base });
  assert.equal(await unsaid.saved('123'), true);
  await unsaid.remove({ productId: '123' });
  await assert.rejects(unsaid.save({ productId: '123' }), { status: 400, message: /text/ });
});

test('digits are a number if the page says nothing, and a text fails alone', async () => {
  const wishlist = await open();
  const changes = collect(wishlist, 'change');
  await wishlist.save({ productId: '7' });
  assert.equal(changes.at(-1).productId, 7);
  assert.equal(wishlist.state({ productId: 7 }).item?.productId, 7);
  const asked = Promise.allSettled(['7', '8', 'none'].map((id) => wishlist.saved(id)));
  assert.deepEqual(
    (await asked).map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected'],
  );
});

test('long ids are asked for in addresses that servers accept', async () => {
  const wishlist = await open({}, textToken);
  const ids = Array.from({ length: 100 }, (_, at) => `${at}-${'x'.repeat(90)}`);
  await Promise.all(ids.map((id) => wishlist.saved(id)));
  assert.equal(shop.requests.length, 3);
  assert.ok(shop.requests.every(({ path, status }) => path.length < 4100 && status === 200));
});

test('a note is set on a saved item, and cleared', async () => {
  const wishlist = await open();
  await wishlist.save({ productId: 1 });
  assert.equal((await wishlist.save({ productId: 1, note: 'For Ada' }))?.note, 'For Ada');
  assert.equal((await wishlist.save({ productId: 1, note: '' }))?.note, undefined);
});

test('writes go out one at a time, in order', async () => {
  const { items } = await open();
  shop.delay = 20;
  await Promise.all([1, 2, 3, 4, 5].map((id) => items.create({ productId: id })));
  assert.equal(shop.mostAtOnce, 1);
  const seen = (await items.list()).data.map((item) => item.productId);
  assert.deepEqual(seen, [5, 4, 3, 2, 1]);
});

test('a save whose answer was lost is sent again, and saves once', async () => {
  const { items } = await open();
  once('lose', 'cut', { status: 503 });
  await items.create({ productId: 5 });
  assert.equal((await items.list()).data.length, 1);
  assert.equal(shop.api('POST', 'items').length, 4);
});

test('a delete whose answer was lost is done', async () => {
  const { lists } = await open();
  const { id } = await lists.create({ name: 'Once' });
  once('lose');
  await lists.delete(id);
  assert.deepEqual(
    shop.api('DELETE', 'lists').map((r) => r.status),
    [0, 404],
  );
});

test('a list that may have been created is not created again', async () => {
  const { lists } = await open();
  once('lose');
  await assert.rejects(lists.create({ name: 'One' }), { name: 'WishlistError', status: 0 });
  once({ status: 503, headers: { 'retry-after': '0' } });
  await assert.rejects(lists.create({ name: 'Two' }), { status: 503, retryAfter: 0 });
  assert.equal(shop.api('POST', 'lists').length, 2);
  once({ status: 429, headers: { 'retry-after': '0' } });
  await lists.create({ name: 'Three' });
  assert.deepEqual(
    (await lists.list()).data.map((list) => list.name),
    ['Three', 'One'],
  );
});

for (const status of [429, 503]) {
  test(`${status} waits as long as Retry-After says, in seconds and as a date`, async () => {
    const { items } = await open();
    const date = new Date('2020-01-01T00:00:00Z');
    const later = new Date(date.getTime() + 2000);
    // The server's own clock counts, not ours.
    const dated = { date: date.toUTCString(), 'retry-after': later.toUTCString() };
    once({ status, headers: { 'retry-after': '1' } }, { status, headers: dated });
    await items.create({ productId: 1 });
    const [first, second, third] = shop.api('POST', 'items').map((r) => r.at);
    assert.ok(second - first >= 990, `${second - first}`);
    assert.ok(third - second >= 1990, `${third - second}`);
  });
}

test('Retry-After counts for at most a minute, and a past date not at all', async () => {
  const { lists } = await open();
  const headers = (/** @type {string} */ text) => ({
    status: 503,
    headers: { 'retry-after': text },
  });
  once(headers('86400'), headers('Wed, 01 Jan 2020 00:00:00 GMT'), headers('soon'));
  await assert.rejects(lists.create({ name: 'A' }), { retryAfter: 60 });
  await assert.rejects(lists.create({ name: 'A' }), { retryAfter: 0 });
  await assert.rejects(lists.create({ name: 'A' }), { retryAfter: undefined });
});

test('a signal ends a request that waits for its turn, an answer or the next try', async () => {
  const { items } = await open();
  shop.delay = 300;
  const first = items.create({ productId: 1 });
  const reason = new Error('left the page');
  const queued = items.create({ productId: 2 }, { signal: AbortSignal.abort(reason) });
  await assert.rejects(queued, reason);
  await first;
  assert.equal(shop.api('POST', 'items').length, 1);

  const awaited = new AbortController();
  const list = items.list({ signal: awaited.signal });
  setTimeout(() => awaited.abort(reason), 50);
  await assert.rejects(list, reason);

  shop.delay = 0;
  shop.fault = () => ({ status: 429, headers: { 'retry-after': '60' } });
  const trying = new AbortController();
  const again = items.list({ signal: trying.signal });
  setTimeout(() => trying.abort(reason), 100);
  await assert.rejects(again, reason);
});

test('a save is shown at once, dispatches two changes, and resolves to the item', async () => {
  const wishlist = await open();
  assert.equal(await wishlist.saved(9), false);
  const changes = collect(wishlist, 'change');
  const saving = wishlist.save({ productId: 9, quantity: 3 });
  assert.deepEqual(wishlist.state({ productId: 9 }), {
    saved: true,
    pending: true,
    item: undefined,
  });
  const item = await saving;
  assert.equal(item?.quantity, 3);
  assert.deepEqual(
    changes.map(({ saved, pending, item }) => [saved, pending, item?.quantity]),
    [
      [true, true, undefined],
      [true, false, 3],
    ],
  );
  await wishlist.remove({ productId: 9 });
  assert.deepEqual(
    changes.slice(2).map(({ saved, pending }) => [saved, pending]),
    [
      [false, true],
      [false, false],
    ],
  );
});

test('of rapid toggles the last one counts', async () => {
  const wishlist = await open();
  await wishlist.saved(1);
  const twice = [wishlist.toggle({ productId: 1 }), wishlist.toggle({ productId: 1 })];
  assert.deepEqual(await Promise.all(twice), [false, false]);
  assert.equal(shop.api('POST', 'items').length, 0);
  const thrice = [1, 2, 3].map(() => wishlist.toggle({ productId: 1 }));
  assert.deepEqual(await Promise.all(thrice), [true, true, true]);
  assert.equal(shop.api('POST', 'items').length, 1);

  // While one is on its way, the others wait for it.
  shop.delay = 50;
  const off = wishlist.toggle({ productId: 1 });
  await new Promise((resolve) => setTimeout(resolve, 25));
  const last = [1, 2, 3].map(() => wishlist.toggle({ productId: 1 }));
  assert.deepEqual(await Promise.all([off, ...last]), [true, true, true, true]);
  assert.equal(shop.api('DELETE', 'items').length, 1);
  assert.equal(shop.api('POST', 'items').length, 2);
});

test('a refused save is undone, and dispatches an error', async () => {
  const wishlist = await open();
  await wishlist.saved(1);
  const [changes, errors] = [collect(wishlist, 'change'), collect(wishlist, 'error')];
  const save = wishlist.save({ productId: 1, listIds: ['none'] });
  await assert.rejects(save, { status: 404 });
  assert.deepEqual(
    changes.map(({ saved }) => saved),
    [true, false],
  );
  assert.equal(errors.length, 1);
  assert.equal(errors[0].error.status, 404);
  assert.deepEqual([errors[0].productId, errors[0].saved], [1, false]);
});

test('a product without variant is saved in any, and removed in all', async () => {
  const wishlist = await open();
  await wishlist.save({ productId: 1, variantId: 5 });
  await wishlist.save({ productId: 1, variantId: 6 });
  assert.equal(await wishlist.saved(1), true);
  await wishlist.remove({ productId: 1, variantId: 5 });
  assert.equal(await wishlist.saved(1), true);
  const changes = collect(wishlist, 'change');
  const removal = wishlist.remove({ productId: 1 });
  assert.equal(wishlist.state({ productId: 1, variantId: 6 }).saved, false);
  await removal;
  assert.equal(await wishlist.saved(1, 6), false);
  assert.deepEqual((await wishlist.items.list()).data, []);
  assert.ok(changes.every(({ saved }) => !saved));
});

test('a removal of all variants that is taken back sends nothing', async () => {
  const wishlist = await open();
  await wishlist.save({ productId: 1, variantId: 5 });
  assert.equal(await wishlist.saved(1), true);
  shop.requests.length = 0;
  const twice = [wishlist.toggle({ productId: 1 }), wishlist.toggle({ productId: 1 })];
  assert.deepEqual(await Promise.all(twice), [true, true]);
  assert.deepEqual(shop.requests, []);
});

test('an answer from before a save does not undo it', async () => {
  const wishlist = await open();
  await wishlist.items.create({ productId: 2 });
  // The question is answered late: after the save, with what was true before it.
  shop.fault = ({ method }) => {
    if (method !== 'GET') return;
    shop.fault = () => undefined;
    return { status: 200, body: '{"data": []}' };
  };
  shop.delay = 100;
  const asking = wishlist.saved(1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  shop.delay = 0;
  await wishlist.save({ productId: 1 });
  assert.equal(await asking, true);
  assert.equal(wishlist.state({ productId: 1 }).item?.productId, 1);
});

test('a refresh ignores the answer to an earlier question', async () => {
  const wishlist = await open();
  shop.delay = 100;
  const first = wishlist.saved(1);
  await new Promise((resolve) => setTimeout(resolve, 60));
  await Promise.all([first, wishlist.refresh()]);
  assert.equal(shop.api('GET', 'items').length, 2);
});

test('when the shopper changes, everything is forgotten and asked for again', async () => {
  const wishlist = await open();
  await wishlist.save({ productId: 1 });
  assert.deepEqual(await Promise.all([wishlist.saved(1), wishlist.saved(2)]), [true, false]);
  const other = 'gid://shopify/Customer/7';
  await fetch(`${service.api}/items`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.token}`,
      profile: other,
      'content-type': 'application/json',
    },
    body: '{"productId": 2}',
  });
  const changes = collect(wishlist, 'change');
  const shoppers = collect(wishlist, 'shopper');
  shop.visitor = other;
  await wishlist.lists.list();
  assert.equal(shoppers.length, 1);
  assert.equal(wishlist.state({ productId: 1 }).saved, false);
  assert.deepEqual(await Promise.all([wishlist.saved(1), wishlist.saved(2)]), [false, true]);
  assert.deepEqual(
    changes.map(({ productId, saved }) => [productId, saved]),
    [
      [1, false],
      [2, true],
    ],
  );
});

test("a visitor's first save is nobody else", async () => {
  const wishlist = await open();
  assert.equal(await wishlist.saved(1), false);
  const shoppers = collect(wishlist, 'shopper');
  await Promise.all([wishlist.save({ productId: 1 }), wishlist.saved(2)]);
  assert.deepEqual(shoppers, []);
  assert.equal(wishlist.state({ productId: 1 }).saved, true);
});

test('lists that change are dispatched by their ids', async () => {
  const wishlist = await open();
  const told = collect(wishlist, 'lists');
  const list = await wishlist.lists.create({ name: 'A' });
  const item = await wishlist.items.create({ productId: 1, listIds: [list.id] });
  await wishlist.items.delete(item.id);
  assert.deepEqual(
    told.filter(({ listIds }) => listIds.length),
    [{ listIds: [list.id] }, { listIds: [list.id] }, { listIds: [list.id] }],
  );
});
