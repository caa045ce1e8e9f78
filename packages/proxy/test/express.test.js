// The middleware in a real Express.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, test } from 'node:test';
import app from 'express';
import { express } from '../dist/express.js';
import { listen, startService } from './service.js';

/** @type {Awaited<ReturnType<typeof startService>>} */
let service;
/** @type {Awaited<ReturnType<typeof listen>>[]} */
const shops = [];

before(async () => {
  service = await startService();
});
after(async () => {
  for (const shop of shops) await shop.close();
  await service.close();
});
beforeEach(() => {
  service.seen.length = 0;
  service.answer = (_, response) => response.end('{}');
});

/** @param {object} [options] @param {(shop: import('express').Express) => void} [before] */
async function open(options = {}, before = () => {}) {
  const shop = app();
  before(shop);
  const ours = { api: service.url, token: 'wwadm_1' };
  const given =
    typeof options === 'function'
      ? async (/** @type {any} */ request) => ({ ...ours, ...(await options(request)) })
      : { ...ours, ...options };
  shop.use('/apps/wishlist', express(given));
  shop.use((/** @type {Error} */ error, _request, response, _next) => {
    response.status(500).send(error.message);
  });
  const running = await listen(shop);
  shops.push(running);
  return { ...running, items: `${running.url}/apps/wishlist/api/items` };
}

/** What a shop answers to these bytes. @param {number} port @param {string} head */
function sent(port, head) {
  const connection = connect(port, '127.0.0.1');
  connection.write(`${head}\r\n\r\n`);
  return text(connection);
}

test('a request and its answer pass through', async () => {
  const shop = await open({}, (shop) =>
    shop.use((_request, response, next) => {
      response.set('Vary', 'Accept-Encoding').append('Set-Cookie', 'shop=1').set('ETag', 'old');
      next();
    }),
  );
  const more = { etag: '"1"', vary: 'Cookie', 'set-cookie': ['a=1', 'b=2'] };
  service.answer = (_, response) => response.writeHead(201, more).end('{"a":"é"}');
  const headers = { cookie: 'a=1', 'wishwell-customer': '666', 'x-forwarded-for': '6.6.6.6' };
  const answer = await fetch(`${shop.items}?a=%2F`, { method: 'POST', body: '{"b":"é"}', headers });
  assert.deepEqual([answer.status, await answer.text()], [201, '{"a":"é"}']);
  assert.equal(answer.headers.get('content-length'), '10');
  assert.equal(answer.headers.get('etag'), '"1"');
  assert.equal(answer.headers.get('vary'), 'Accept-Encoding, Cookie');
  assert.deepEqual(answer.headers.getSetCookie(), ['shop=1', 'a=1', 'b=2']);
  const [{ method, target, body }] = service.seen;
  assert.deepEqual([method, body], ['POST', '{"b":"é"}']);
  assert.equal(target, '/apps/wishlist/api/items?a=%2F');
  assert.equal(service.header('cookie'), 'a=1');
  assert.equal(service.header('x-forwarded-host'), `127.0.0.1:${shop.port}`);
  assert.equal(service.header('x-forwarded-proto'), 'http');
  assert.equal(service.header('x-forwarded-for'), '127.0.0.1');
  assert.equal(service.header('wishwell-customer'), undefined);
});

test('Express says what it trusts of a proxy before it', async () => {
  const shop = await open({}, (shop) => shop.set('trust proxy', 'loopback'));
  const headers = { 'x-forwarded-for': '6.6.6.6, 192.0.2.1', 'x-forwarded-proto': 'https' };
  await fetch(shop.items, { headers });
  assert.equal(service.header('x-forwarded-for'), '192.0.2.1');
  assert.equal(service.header('x-forwarded-proto'), 'https');
});

test('a function of the request says who is shopping', async () => {
  const shop = await open(async (request) => {
    const customer = request.get('x-user') ?? null;
    if (customer === 'broken') throw new Error('no session');
    return { customer, address: '192.0.2.7', origin: 'https://shop.example' };
  });
  const save = { method: 'POST', body: '{}' };
  await fetch(shop.items, { ...save, headers: { 'x-user': '7' } });
  assert.equal(service.header('wishwell-customer'), '7');
  assert.equal(service.header('x-forwarded-for'), '192.0.2.7');
  assert.equal(service.header('x-forwarded-host'), 'shop.example');
  assert.equal(service.seen[0].body, '{}');
  await fetch(shop.items);
  assert.equal(service.header('wishwell-customer'), '-');
  const failed = await fetch(shop.items, { headers: { 'x-user': 'broken' } });
  assert.deepEqual([failed.status, await failed.text()], [500, 'no session']);
  assert.equal(service.seen.length, 2);
});

test('HEAD, and answers without a body', async () => {
  const shop = await open();
  service.answer = (_, response) => response.writeHead(204).end();
  for (const method of ['HEAD', 'DELETE']) {
    const answer = await fetch(shop.items, { method });
    assert.deepEqual([answer.status, await answer.text()], [204, '']);
    assert.equal(answer.headers.get('content-length'), null);
  }
  service.answer = (_, response) => response.writeHead(200, { 'content-length': 7 }).end();
  const head = await fetch(shop.items, { method: 'HEAD' });
  assert.equal(head.headers.get('content-length'), '7');
});

test('a body that is too large is 413, and what follows on the connection works', async () => {
  const shop = await open();
  for (const size of [256 * 1024 + 1, 2 ** 22]) {
    const body = () => new Blob(['x'.repeat(size)]);
    for (const init of [{ body: body() }, { body: body().stream(), duplex: 'half' }]) {
      const answer = await fetch(shop.items, { method: 'POST', ...init });
      assert.equal(answer.status, 413);
      assert.equal((await answer.json()).error.error, 'Content Too Large');
    }
  }
  assert.equal((await fetch(shop.items)).status, 200);
  assert.equal(service.seen.length, 1);
});

test('a body that was read before is an error that says so', async () => {
  const shop = await open({}, (shop) => shop.use(app.json()));
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(shop.items, { method: 'POST', body: '{}', headers });
  assert.equal(answer.status, 500);
  assert.match(await answer.text(), /mount it before the body parser/);
  assert.equal((await fetch(shop.items, { method: 'DELETE' })).status, 200);
});

test('a browser that leaves is no error', async () => {
  /** @type {unknown[]} */
  const errors = [];
  const middleware = express({ api: service.url, token: 'a' });
  const shop = await listen((request, response) => {
    middleware(request, response, (error) => errors.push(error));
    request.on('close', () => left());
  });
  shops.push(shop);
  let left = () => {};
  const gone = new Promise((resolve) => (left = () => resolve(null)));
  const head = 'POST /apps/wishlist/ HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{';
  const browser = connect(shop.port, '127.0.0.1', () => browser.write(head));
  setTimeout(() => browser.destroy(), 50);
  await gone;
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual([errors, service.seen], [[], []]);
});

test('what can be no request of a browser is refused', async () => {
  const shop = await open({ headers: ['X-Shop-Token'] }, (shop) =>
    shop.use((request, _response, next) => {
      request.url = request.url.replace('http://evil.example', '');
      next();
    }),
  );
  const path = '/apps/wishlist/api/items';
  const end = 'Connection: close';
  for (const host of ['a@b', 'a/apps/wishlist/?', 'a:b', 'a:99999', 'a b', '']) {
    const got = await sent(shop.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${end}`);
    assert.match(got, /^HTTP\/1.1 400 /, host);
  }
  const absolute = `GET http://evil.example${path} HTTP/1.1\r\nHost: a\r\n${end}`;
  assert.match(await sent(shop.port, absolute), /^HTTP\/1.1 400 /);
  const trace = `TRACE ${path} HTTP/1.1\r\nHost: a\r\n${end}`;
  assert.match(await sent(shop.port, trace), /^HTTP\/1.1 405 /);
  assert.deepEqual(service.seen, []);
  for (const odd of ['../api/items', './items', '%2e%2e/items', 'x\\items']) {
    const got = await sent(
      shop.port,
      `GET /apps/wishlist/api/${odd} HTTP/1.1\r\nHost: a\r\n${end}`,
    );
    assert.match(got, /^HTTP\/1.1 404 /, odd);
  }
  const fragment = `GET ${path}?a#b HTTP/1.1\r\nHost: a\r\n${end}`;
  assert.match(await sent(shop.port, fragment), /^HTTP\/1.1 400 /);
  const post = `POST ${path} HTTP/1.1\r\nHost: a\r\n${end}\r\n`;
  for (const name of ['Content-Type', 'Origin', 'Sec-Fetch-Site', 'X-Shop-Token']) {
    const got = await sent(shop.port, `${post}${name}: a\r\n${name}: b`);
    assert.match(got, /^HTTP\/1.1 400 /, name);
  }
  assert.deepEqual(service.seen, []);
  assert.match(await sent(shop.port, `${post}Cookie: a=1\r\nCookie: b=2`), /^HTTP\/1.1 200 /);
  assert.equal(service.header('cookie'), 'a=1; b=2');
});
