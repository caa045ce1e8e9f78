// What goes on to the service and what comes back, over real connections.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { forward } from '../dist/index.js';
import { listen, startService } from './service.js';

const ITEMS = 'https://shop.example/apps/wishlist/api/items';
const UUID = '019b4c1e-0000-7000-8000-000000000001';
/** @type {Awaited<ReturnType<typeof startService>>} */
let service;

before(async () => {
  service = await startService();
});
after(() => service.close());
beforeEach(() => {
  service.seen.length = 0;
  service.answer = (_, response) => response.end('{}');
});

/** @param {RequestInit & { duplex?: string, url?: string }} [init] @param {object} [options] */
function ask({ url = ITEMS, ...init } = {}, options = {}) {
  return forward(new Request(url, init), { api: service.url, token: 'wwadm_1', ...options });
}

/** @param {Response} answer @param {number} status */
async function envelope(answer, status) {
  assert.equal(answer.status, status);
  assert.equal(answer.headers.get('content-type'), 'application/json');
  assert.equal(answer.headers.get('cache-control'), 'private, no-store');
  const { error } = await answer.json();
  assert.deepEqual(Object.keys(error), ['message', 'error', 'statusCode', 'requestId', 'code']);
  assert.equal(error.statusCode, status);
  assert.equal(error.requestId, answer.headers.get('x-request-id'));
  return error;
}

test('method, path, query and body arrive as they were sent', async () => {
  const query = '?query=product:1,2&page=a%2Fb+c&&x';
  await ask({ url: ITEMS + query, method: 'DELETE', body: '{"itemIds":["é"]}' });
  const [{ method, target, body }] = service.seen;
  assert.deepEqual([method, body], ['DELETE', '{"itemIds":["é"]}']);
  assert.equal(target, `/apps/wishlist/api/items${query}`);
  await ask({ method: 'POST' });
  assert.equal(service.header('content-length'), '0');
  await ask({}, { api: `${service.url}/wishes/` });
  assert.equal(service.seen.at(-1).target, '/wishes/apps/wishlist/api/items');
});

test('of the browser only what is on the list arrives', async () => {
  const passed = {
    accept: 'application/json',
    'content-type': 'application/json',
    cookie: 'a=1; __Host-wishwell=2',
    'if-none-match': '"1"',
    origin: 'https://shop.example',
    'sec-fetch-site': 'same-origin',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    'x-request-id': UUID,
  };
  const forged = {
    authorization: 'Bearer forged',
    forwarded: 'for=6.6.6.6;host=forged',
    profile: 'gid://shopify/Customer/666',
    'user-agent': 'forged',
    'wishwell-customer': '666',
    'wishwell-shopper': 'forged',
    'x-forwarded-for': '6.6.6.6',
    'x-forwarded-host': 'forged.example',
    'x-forwarded-port': '666',
    'x-forwarded-proto': 'gopher',
    'x-real-ip': '6.6.6.6',
    'x-shop-token': 'forged',
  };
  await ask({ method: 'POST', body: '{}', headers: { ...passed, ...forged } });
  for (const [name, value] of Object.entries(passed)) assert.equal(service.header(name), value);
  assert.equal(service.header('authorization'), 'Bearer wwadm_1');
  assert.equal(service.header('x-forwarded-host'), 'shop.example');
  assert.equal(service.header('x-forwarded-proto'), 'https');
  const own = ['authorization', 'x-forwarded-host', 'x-forwarded-proto'];
  // Of Node's fetch and of HTTP itself.
  const fetchs = ['accept-encoding', 'accept-language', 'cache-control', 'connection'].concat([
    'content-length',
    'host',
    'pragma',
    'sec-fetch-mode',
    'user-agent',
  ]);
  const names = service.names().map((name) => name.toLowerCase());
  assert.deepEqual(names.sort(), [...Object.keys(passed), ...own, ...fetchs].sort());
  assert.doesNotMatch(service.seen[0].headers.join(), /forged|666|6\.6\.6\.6|gopher/);
});

test('options name a header of the shop, the address and the origin', async () => {
  const options = { headers: ['X-Shop-Token'], address: '2001:db8::1' };
  const init = { headers: { 'x-shop-token': 'jwt', 'x-forwarded-for': '6.6.6.6' } };
  await ask(init, { ...options, origin: 'http://localhost:3000' });
  assert.equal(service.header('x-shop-token'), 'jwt');
  assert.equal(service.header('x-forwarded-for'), '2001:db8::1');
  assert.equal(service.header('x-forwarded-host'), 'localhost:3000');
  assert.equal(service.header('x-forwarded-proto'), 'http');
  await ask({ url: 'https://shop.example/w/livez' }, { base: '/w' });
  assert.equal(service.seen.at(-1).target, '/w/livez');
});

test('a customer is sent as an id, nobody as a dash, undefined not at all', async () => {
  const gid = 'gid://shopify/Customer/7';
  /** @type {[unknown, string | undefined][]} */
  const cases = [[7, '7'], ['7', '7'], [gid, gid], [null, '-'], ['', '-'], [undefined, undefined]]; // prettier-ignore
  for (const [customer, sent] of cases) {
    await ask({ headers: { 'wishwell-customer': '666' } }, { customer });
    assert.equal(service.header('wishwell-customer'), sent);
  }
});

test('what is no customer throws, and nothing is sent', async () => {
  const odd = [true, false, NaN, 1.5, 2 ** 60, 7n, {}, [], Promise.resolve('7'), () => '7'];
  for (const customer of [...odd, ' ', 'a b', 'é', '7\r\nProfile: 8', '-']) {
    await assert.rejects(ask({}, { customer }), { name: 'TypeError', message: /customer must be/ });
  }
  assert.deepEqual(service.seen, []);
});

test('a bad option throws and is named', async () => {
  const bad = {
    token: [undefined, '', 'a b', 'é'],
    api: [undefined, '', '127.0.0.1:8000', 'ftp://wishes', 'http://a:b@wishes', 'http://wishes?a'],
    origin: ['', 'shop.example'],
    base: ['', '/', 'apps', '/apps/'],
    headers: [['Authorization'], ['X-Forwarded-Host'], ['Wishwell-Customer'], ['host']],
    timeout: [0, -1, NaN, Infinity, 'soon'],
  };
  for (const [name, values] of Object.entries(bad)) {
    for (const value of values) {
      const message = new RegExp(`^@wishwell/proxy: ${name} `);
      await assert.rejects(ask({}, { [name]: value }), { name: 'TypeError', message });
    }
  }
  const request = new Request(ITEMS, { method: 'POST', body: '{}' });
  await request.text();
  await assert.rejects(forward(request, { api: service.url, token: 'a' }), /body .* was read/);
  assert.deepEqual(service.seen, []);
});

test('of the answer only what is on the list comes back, and every cookie', async () => {
  const passed = {
    allow: 'GET',
    'cache-control': 'private, no-store',
    'content-type': 'application/json',
    etag: '"1"',
    location: '/apps/wishlist/api/items/1',
    'retry-after': '3',
    vary: 'Cookie',
    'wishwell-shopper': 'abc',
    'x-content-type-options': 'nosniff',
    'x-ratelimit-limit': '9',
    'x-ratelimit-remaining': '8',
    'x-ratelimit-reset': '7',
    'x-request-id': UUID,
  };
  const kept = { server: 'x', 'www-authenticate': 'Bearer', 'access-control-allow-origin': '*' };
  const cookies = ['a=1; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2; HttpOnly'];
  service.answer = (_, response) =>
    response.writeHead(429, { ...passed, ...kept, 'set-cookie': cookies }).end('{"a":"é"}');
  const answer = await ask();
  assert.equal(answer.status, 429);
  assert.deepEqual(answer.headers.getSetCookie(), cookies);
  answer.headers.delete('set-cookie');
  assert.deepEqual(Object.fromEntries(answer.headers), passed);
  assert.equal(await answer.text(), '{"a":"é"}');
});

test('a redirect comes back and is not followed', async () => {
  const location = '/apps/wishlist/assets/wishwell-1.js';
  service.answer = (_, response) => response.writeHead(302, { location }).end();
  const answer = await ask({ url: 'https://shop.example/apps/wishlist/assets/wishwell.js' });
  assert.deepEqual([answer.status, answer.headers.get('location')], [302, location]);
  assert.equal(service.seen.length, 1);
});

test('an answer may be without a body', async () => {
  for (const [status, method] of /** @type {const} */ ([
    [204, 'DELETE'],
    [304, 'GET'],
    [200, 'HEAD'],
  ])) {
    service.answer = (_, response) => response.writeHead(status, { etag: '"1"' }).end();
    const answer = await ask({ method });
    assert.deepEqual([answer.status, answer.body], [status, null]);
    assert.equal(answer.headers.get('etag'), '"1"');
    assert.equal(service.seen.at(-1).method, method);
  }
});

test('a path outside the base is 404 and not forwarded', async () => {
  for (const path of [
    '/',
    '/apps/wishlist',
    '/apps/wishlists/x',
    '/api/2025-04/items',
    '//apps/wishlist/',
    '/apps/wishlist/../../api',
    '/apps/wishlist/%2e%2e/x',
    '/apps/wishlist\\..\\x',
  ]) {
    await envelope(await ask({ url: `https://shop.example${path}` }), 404);
  }
  const head = await ask({ url: 'https://shop.example/', method: 'HEAD' });
  assert.deepEqual([head.status, head.body], [404, null]);
  assert.deepEqual(service.seen, []);
});

test('a body of 256 KiB arrives, a larger one is 413 and does not', async () => {
  /** @param {number} size */
  const piecemeal = (size) => new Blob(['x'.repeat(size)]).stream();
  const largest = 256 * 1024;
  const whole = { method: 'POST', body: piecemeal(largest), duplex: 'half' };
  assert.equal((await ask(whole)).status, 200);
  assert.equal(service.seen[0].body.length, largest);
  await envelope(await ask({ ...whole, body: piecemeal(largest + 1) }), 413);
  const headers = { 'content-length': String(largest + 1) };
  await envelope(await ask({ method: 'PUT', body: 'x', headers }), 413);
  assert.equal(service.seen.length, 1);
});

test('a body that breaks off is 400 and does not arrive', async () => {
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) });
  await envelope(await ask({ method: 'POST', body, duplex: 'half' }), 400);
  assert.deepEqual(service.seen, []);
});

test('a service that is away is 503', async () => {
  const gone = await listen(() => {});
  await gone.close();
  const away = await ask({}, { api: gone.url });
  assert.equal(away.headers.get('retry-after'), '1');
  assert.equal((await envelope(away, 503)).error, 'Service Unavailable');
  service.answer = (request) => request.socket.destroy();
  await envelope(await ask(), 503);
  service.answer = (request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('{');
    setTimeout(() => request.socket.destroy(), 50);
  };
  await envelope(await ask(), 503);
});

test('a service that does not answer in time, or not to the end, is 504', async () => {
  for (const answer of [() => {}, (_, response) => response.writeHead(200).write('{')]) {
    service.answer = answer;
    const error = await envelope(await ask({}, { timeout: 0.1 }), 504);
    assert.equal(error.error, 'Gateway Timeout');
    // What the service's log has it under.
    assert.equal(error.requestId, service.header('x-request-id'));
  }
});

test("the request's id is the browser's if it is a UUID", async () => {
  await ask({ headers: { 'x-request-id': 'no uuid' } });
  assert.match(service.header('x-request-id'), /^[\da-f-]{36}$/);
  const answer = await ask({ headers: { 'x-request-id': UUID }, url: 'https://shop.example/' });
  assert.equal((await envelope(answer, 404)).requestId, UUID);
});
