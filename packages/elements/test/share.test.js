// Shared lists, in Chromium.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launchChromium } from './chromium.js';
import { startService, startShop } from './shop.js';

/** @type {Awaited<ReturnType<typeof startService>>} */
let service;
/** @type {Awaited<ReturnType<typeof startShop>>} */
let shop;
/** @type {import('playwright-core').Browser} */
let browser;

before(async () => {
  service = await startService();
  shop = await startShop(service);
  browser = await launchChromium();
});
after(async () => {
  await browser.close();
  await shop.stop();
  await service.stop();
});

/** A page of a new visitor, or of this one. @param {import('playwright-core').BrowserContext} [visitor] */
async function open(visitor, hearts = 3) {
  const context = visitor ?? (await browser.newContext());
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  page.on('pageerror', (error) => assert.fail(error));
  await page.goto(`${shop.origin}/?hearts=${hearts}`);
  return page;
}

/** A new list of these products, and its id. @param {import('playwright-core').Page} page */
const makeList = (page, /** @type {number[]} */ products) =>
  page.evaluate(async (products) => {
    const { wishlist } = await import(String('/apps/wishlist/assets/wishwell.js'));
    const list = await wishlist.lists.create({ name: 'Birthday' });
    for (const productId of products) {
      await wishlist.items.create({ productId, quantity: 2, listIds: [list.id] });
    }
    return list.id;
  }, products);

/** `wishlist.share`, at a press of a button. @param {import('playwright-core').Page} page */
async function share(page, /** @type {string} */ list, options = {}) {
  await page.evaluate(([list, options]) => {
    const button = document.createElement('button');
    document.body.append(button);
    const shared = new Promise((resolve) => {
      button.onclick = async () => {
        const { wishlist } = await import(String('/apps/wishlist/assets/wishwell.js'));
        resolve(await wishlist.share(list, options));
        button.remove();
      };
    });
    Object.assign(window, { shared });
  }, /** @type {const} */ ([list, options]));
  await page.locator('body > button').click();
  return page.evaluate(() => /** @type {any} */ (window).shared);
}

test('a list is shared by the share sheet or by a link, and two presses make one link', async () => {
  const page = await open();
  const list = await makeList(page, [1]);
  assert.ok(!shop.assets.some((name) => name.startsWith('share')), 'hearts need nothing of it');

  const { url, sheet, share: made } = await share(page, list);
  assert.equal(sheet, false);
  assert.equal(url, `${shop.origin}/shared/${made.token}`);
  assert.deepEqual([made.listId, made.reservations, made.notes], [list, true, false]);
  const page2 = '/lists/shared?list={token}';
  assert.equal(
    (await share(page, list, { page: page2 })).url,
    `${shop.origin}${page2.replace('{token}', made.token)}`,
  );
  const notes = await share(page, list, { notes: true });
  assert.notEqual(notes.share.id, made.id);
  assert.equal((await share(page, list)).share.id, made.id);
  const both = await page.evaluate(async (list) => {
    const { wishlist } = await import(String('/apps/wishlist/assets/wishwell.js'));
    const expiresAt = '2030-01-01T00:00:00Z';
    const at = () => wishlist.share(list, { expiresAt });
    return (await Promise.all([at(), at()])).map(({ url }) => url);
  }, list);
  assert.equal(both[0], both[1]);

  await page.evaluate(() => {
    /** @type {object[]} */
    const told = [];
    Object.assign(window, { told });
    Object.assign(navigator, {
      canShare: () => true,
      share: async (/** @type {object} */ data) => {
        told.push(data);
        const names = [undefined, 'AbortError', 'NotAllowedError'];
        const name = names[told.length - 1];
        if (name) throw new DOMException('no', name);
      },
    });
  });
  for (const expected of [true, true, false]) {
    const shared = await share(page, list, { title: 'Gifts', text: 'Have a look' });
    assert.deepEqual([shared.sheet, shared.url], [expected, url]);
  }
  assert.deepEqual(await page.evaluate(() => /** @type {any} */ (window).told[0]), {
    title: 'Gifts',
    text: 'Have a look',
    url,
  });
});

test('a shared list is read without a session, and a copy fills hearts in every tab', async () => {
  const owner = await open();
  const { share: made } = await share(owner, await makeList(owner, [1, 3]));

  const theirs = await open();
  const other = await open(theirs.context());
  const act = (/** @type {string} */ what, /** @type {any[]} */ ...given) =>
    theirs.evaluate(async ([token, what, given]) => {
      const { sharedList } = await import(String('/apps/wishlist/assets/share.js'));
      const { wishlist } = await import(String('/apps/wishlist/assets/wishwell.js'));
      return sharedList(wishlist, token)[what](...given);
    }, /** @type {const} */ ([made.token, what, given]));
  const list = await act('find');
  assert.deepEqual(
    [list.name, list.items.map((/** @type {any} */ item) => [item.productId, item.quantity])],
    [
      'Birthday',
      [
        [3, 2],
        [1, 2],
      ],
    ],
  );
  assert.deepEqual(await theirs.context().cookies(), []);

  const copy = await act('copy', 'For me');
  assert.deepEqual([copy.name, copy.itemCount], ['For me', 2]);
  for (const page of [theirs, other]) {
    await page.locator('wishlist-button[saved]').nth(1).waitFor();
    assert.equal(await page.locator('wishlist-button[saved]').count(), 2);
  }

  await owner.evaluate(
    async ([listId, id]) => {
      const { sharesOf } = await import(String('/apps/wishlist/assets/share.js'));
      const { wishlist } = await import(String('/apps/wishlist/assets/wishwell.js'));
      await sharesOf(wishlist, listId).delete(id);
    },
    [made.listId, made.id],
  );
  assert.equal(await act('find').catch((error) => /404|exist/.test(`${error}`)), true);
});
