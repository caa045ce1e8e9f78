// The handler against the real service.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

import { createProxy } from "../dist/index.js";
import { nodeFetch } from "../dist/node.js";
import { SECRET, startService } from "./service.mjs";

const SHOP = "http://shop.example";
const BASE = "/apps/wishlist";
let service;
let log;
const proxies = (more = {}) =>
  createProxy({
    api: service.url, token: service.token, secret: SECRET, log: (entry) => log.push(entry), ...more,
  });

before(async () => {
  log = [];
  service = await startService();
});
after(() => service.close());

/** A browser on a page of the shop: keeps its cookie, sends what browsers send. */
function browser(proxy, shop = SHOP) {
  const self = {
    cookie: null,
    async ask(method, path, { body, headers = {}, context } = {}) {
      const sent = new Headers({ "sec-fetch-site": "same-origin", ...headers });
      if (self.cookie) sent.append("cookie", self.cookie);
      if (body !== undefined) sent.set("content-type", "application/json");
      const text = body === undefined ? undefined : JSON.stringify(body);
      const request = new Request(`${shop}${BASE}${path}`, { method, headers: sent, body: text });
      const response = await proxy(request, context);
      for (const line of response.headers.getSetCookie()) {
        self.cookie = /Max-Age=0/.test(line) ? null : line.split(";")[0];
      }
      const answer = await response.text();
      return {
        status: response.status, headers: response.headers, text: answer,
        data: answer.startsWith("{") ? JSON.parse(answer).data : undefined,
        error: answer.startsWith("{") ? JSON.parse(answer).error : undefined,
        shopper: response.headers.get("wishwell-shopper"),
        set: response.headers.getSetCookie(),
      };
    },
  };
  return self;
}
const save = (visitor, productId, more) => visitor.ask("POST", "/api/items", { body: { productId }, ...more });
const productsOf = async (visitor, more) =>
  (await visitor.ask("GET", "/api/items", more)).data.map((item) => item.productId).sort();
const mark = (gid) => createHmac("sha256", SECRET).update(`shopper\n${gid}`).digest("base64url").slice(0, 16);
const sessionOf = (cookie) => JSON.parse(Buffer.from(cookie.split("=")[1].split(".")[0], "base64url")).s;
const fresh = (() => {
  let last = 0;
  return () => `node-${process.pid}-${(last += 1)}`;
})();

/** An API that is not ours to break: what it gets is written down, `answer` says what it does. */
async function otherApi(answer) {
  const got = [];
  const server = createServer((request, response) => {
    got.push(request);
    answer(request, response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${server.address().port}`, got, close };
}

/** An address that nothing listens on. */
async function nobody() {
  const { url, close } = await otherApi(() => {});
  await close();
  return url;
}

test("who has saved nothing reads nothing, and the API is not asked", async () => {
  const visitor = browser(proxies({ api: "http://127.0.0.1:9" }));
  for (const path of ["/api/items", "/api/lists?limit=3"]) {
    const read = await visitor.ask("GET", path);
    assert.equal(read.text, '{"data":[]}');
    assert.equal(read.status, 200);
    assert.equal(read.shopper, "-");
    assert.equal(read.headers.get("cache-control"), "private, no-store");
    assert.equal(read.headers.get("vary"), "Cookie");
    assert.deepEqual(read.set, []);
  }
  const statuses = [];
  for (const [method, path] of [
    ["GET", "/api/items/a"], ["PATCH", "/api/items/a"], ["PUT", "/api/items/a/lists"],
    ["DELETE", "/api/lists/a"], ["DELETE", "/api/items"], ["HEAD", "/api/items"],
  ]) statuses.push((await visitor.ask(method, path)).status);
  assert.deepEqual(statuses, [404, 404, 404, 404, 204, 200]);
});

test("the first save begins a session; what is saved is read again", async () => {
  const visitor = browser(proxies());
  const saved = await save(visitor, 11);
  assert.equal(saved.status, 201);
  assert.match(saved.set[0], /^wishwell=[\w-]+\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=7776000$/);
  assert.equal(saved.shopper, mark(sessionOf(visitor.cookie)));
  assert.equal(saved.headers.get("location"), `${BASE}/api/items/${saved.data.id}`);
  assert.ok(Number(saved.headers.get("x-ratelimit-limit")) > 0);
  const read = await visitor.ask("GET", "/api/items?query=product:11");
  assert.deepEqual(read.data, [saved.data]);
  assert.deepEqual(read.set, []);
  assert.equal(read.shopper, saved.shopper);
  const head = await visitor.ask("HEAD", "/api/items");
  assert.equal(`${head.status}${head.text}`, "200");
  assert.equal(head.headers.get("content-length"), String(read.text.length));
  assert.equal((await visitor.ask("DELETE", `/api/items/${saved.data.id}`)).status, 204);
});

test("lists, their items and their order go through", async () => {
  const visitor = browser(proxies());
  const list = (await visitor.ask("POST", "/api/lists", { body: { name: "Birthday" } })).data;
  const items = [];
  for (const productId of [1, 2]) items.push((await save(visitor, productId)).data.id);
  for (const id of items) {
    const put = await visitor.ask("PUT", `/api/items/${id}/lists`, { body: { listIds: [list.id] } });
    assert.equal(put.status, 200);
  }
  const ordered = await visitor.ask("PUT", `/api/lists/${list.id}/items/order`, { body: { itemIds: items } });
  assert.deepEqual(ordered.data.items.map((item) => item.id), items);
  const renamed = await visitor.ask("PATCH", `/api/lists/${list.id}`, { body: { name: "Party" } });
  assert.equal(renamed.data.name, "Party");
  assert.equal((await visitor.ask("DELETE", "/api/items", { body: { itemIds: items } })).status, 204);
  assert.deepEqual(await productsOf(visitor), []);
});

test("two visitors see nothing of each other, and both processes of one secret know them", async () => {
  const [one, two] = [browser(proxies()), browser(proxies())];
  await save(one, 1);
  await save(two, 2);
  assert.deepEqual([await productsOf(one), await productsOf(two)], [[1], [2]]);
  const elsewhere = browser(proxies({ secret: ["a new secret, which is the first of two", SECRET] }));
  elsewhere.cookie = one.cookie;
  assert.deepEqual(await productsOf(elsewhere), [1]);
});

test("who signs in keeps what was saved before; who signs out begins anew", async () => {
  const visitor = browser(proxies());
  const customer = fresh();
  const context = { customer };
  await save(visitor, 21);
  const [signed, again] = await Promise.all([
    visitor.ask("GET", "/api/items", { context }),
    visitor.ask("GET", "/api/lists", { context }),
  ]);
  assert.deepEqual(signed.data.map((item) => item.productId), [21]);
  assert.deepEqual(signed.set, ["wishwell=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"]);
  assert.deepEqual(again.set, signed.set);
  assert.equal(signed.shopper, mark(`gid://shopify/Customer/${customer}`));
  assert.deepEqual(await productsOf(visitor), []);
  await save(visitor, 22);
  assert.deepEqual(await productsOf(visitor), [22]);
  assert.deepEqual(await productsOf(browser(proxies()), { context }), [21]);
});

test("a stale tab: the cookie of a linked session is nobody's, and a save begins a new one", async () => {
  const [tab, stale] = [browser(proxies()), browser(proxies())];
  await save(tab, 31);
  stale.cookie = tab.cookie;
  assert.deepEqual(await productsOf(stale), [31]);
  await productsOf(tab, { context: { customer: fresh() } });
  const old = stale.cookie;
  const read = await stale.ask("GET", "/api/items");
  assert.equal(read.text, '{"data":[]}');
  assert.equal(read.shopper, "-");
  assert.match(read.set[0], /Max-Age=0/);
  stale.cookie = old;
  assert.equal((await save(stale, 32)).status, 201);
  assert.notEqual(stale.cookie, old);
  assert.deepEqual(await productsOf(stale), [32]);
});

test("a session that never was is dropped when somebody signs in", async () => {
  const visitor = browser(proxies());
  await save(visitor, 1);
  const session = "gid://wishwell/Session/00000000-0000-4000-8000-000000000000";
  const payload = Buffer.from(JSON.stringify({ s: session, t: Math.floor(Date.now() / 1000), v: 1 })).toString("base64url");
  const signature = createHmac("sha256", SECRET).update(`cookie\n\n${payload}`).digest("base64url");
  visitor.cookie = `wishwell=${payload}.${signature}`;
  const read = await visitor.ask("GET", "/api/items", { context: { customer: fresh() } });
  assert.deepEqual(read.data, []);
  assert.match(read.set[0], /Max-Age=0/);
});

test("a link that fails leaves the cookie; the answer is the API's", async () => {
  const visitor = browser(proxies());
  await save(visitor, 41);
  const busy = await otherApi((_request, response) => {
    response.writeHead(429, { "retry-after": "7", "content-type": "application/json", "set-cookie": "a=b" });
    response.end('{"error":{}}');
  });
  const cookie = visitor.cookie;
  const meanwhile = browser(proxies({ api: busy.url }));
  meanwhile.cookie = cookie;
  const read = await meanwhile.ask("GET", "/api/items", { context: { customer: fresh() } });
  await busy.close();
  assert.equal(read.status, 429);
  assert.equal(read.headers.get("retry-after"), "7");
  assert.deepEqual(read.set, []);
  assert.deepEqual(await productsOf(visitor), [41]);
});

test("a malformed cookie is removed, and the next save begins a session", async () => {
  const visitor = browser(proxies());
  visitor.cookie = "wishwell=nonsense";
  const read = await visitor.ask("GET", "/api/items");
  assert.equal(read.shopper, "-");
  assert.match(read.set[0], /^wishwell=; .*Max-Age=0/);
  visitor.cookie = "wishwell=nonsense";
  assert.equal((await save(visitor, 1)).set.length, 1);
  assert.deepEqual(await productsOf(visitor), [1]);
});

test("on https the cookie has its prefix and is Secure; the plain one is not read", async () => {
  const visitor = browser(proxies(), "https://shop.example");
  const saved = await save(visitor, 1);
  assert.match(saved.set[0], /^__Host-wishwell=.*; Secure$/);
  visitor.cookie = visitor.cookie.replace("__Host-", "");
  assert.equal((await visitor.ask("GET", "/api/items")).shopper, "-");
  const told = await save(browser(proxies({ secure: "always" })), 1);
  assert.match(told.set[0], /^__Host-wishwell=.*; Secure$/);
});

for (const [what, headers, status] of [
  ["another site", { "sec-fetch-site": "cross-site", origin: SHOP }, 403],
  ["a subdomain", { "sec-fetch-site": "same-site" }, 403],
  ["nowhere", { "sec-fetch-site": "none" }, 403],
  ["an old browser on the shop", { "sec-fetch-site": undefined, origin: SHOP }, 201],
  ["an old browser elsewhere", { "sec-fetch-site": undefined, origin: "http://evil.example" }, 403],
  ["a page without an origin", { "sec-fetch-site": undefined, origin: "null" }, 403],
  ["the shop on https", { "sec-fetch-site": undefined, origin: "https://shop.example" }, 403],
  ["a program", { "sec-fetch-site": undefined }, 403],
]) {
  test(`a write from ${what}: ${status}`, async () => {
    const proxy = proxies();
    const sent = Object.entries({ "sec-fetch-site": "same-origin", ...headers });
    const kept = new Headers(sent.filter(([, value]) => value !== undefined));
    kept.set("content-type", "application/json");
    const request = new Request(`${SHOP}${BASE}/api/items`, { method: "POST", headers: kept, body: '{"productId":1}' });
    const response = await proxy(request);
    assert.equal(response.status, status);
    assert.equal(response.headers.get("access-control-allow-origin"), null);
    assert.equal(response.headers.getSetCookie().length, status === 201 ? 1 : 0);
  });
}

test("origins that are set replace the request's own", async () => {
  const proxy = proxies({ origin: "https://a.example, https://b.example" });
  const ask = async (origin) =>
    (await proxy(new Request(`${SHOP}${BASE}/api/items`, { method: "DELETE", headers: { origin } }))).status;
  assert.deepEqual([await ask("https://b.example"), await ask(SHOP)], [204, 403]);
});

test("other methods and paths are refused with the envelope", async () => {
  const visitor = browser(proxies());
  const id = "0B6C4C6E-6D34-4A35-8C39-8F60A77D5A1E";
  for (const [method, path, status, allow] of [
    ["OPTIONS", "/api/items", 405, "GET, HEAD, POST, DELETE"], ["PUT", "/api/lists/a", 405, "GET, HEAD, PATCH, DELETE"],
    ["GET", "/api/items/a/lists", 405, "PUT"], ["POST", "/livez", 405, "GET, HEAD"], ["POST", "/api/profiles/token", 404, null],
    ["GET", "/api/items/", 404, null], ["GET", "/api/items/%61", 404, null], ["GET", "/api//items", 404, null],
    ["GET", "", 404, null], ["GET", "/elsewhere", 404, null],
  ]) {
    const answer = await visitor.ask(method, path, { headers: { "x-request-id": id } });
    assert.equal(answer.status, status, path);
    assert.equal(answer.headers.get("allow"), allow);
    assert.equal(answer.error.statusCode, status);
    assert.equal(answer.error.requestId, id.toLowerCase());
    assert.equal(answer.headers.get("x-request-id"), id.toLowerCase());
    assert.equal(answer.shopper, path.startsWith("/api/") ? "-" : null);
  }
});

test("a target that the Request has lost is judged as it was sent", async () => {
  const proxy = proxies();
  const url = `${SHOP}${BASE}/api/items/../lists`;
  assert.equal((await proxy(new Request(url))).status, 200);
  assert.equal((await proxy(new Request(url), { target: `${BASE}/api/items/../lists` })).status, 404);
  assert.equal((await proxy(new Request(url), { target: `${BASE}/api/lists?a#b` })).status, 400);
  assert.equal((await proxy(new Request(url), { target: `${BASE}/api/lists?a\u00ff` })).status, 400);
});

test("a body above 256 KiB is refused before anything is sent on", async () => {
  const visitor = browser(proxies({ api: await nobody() }));
  const over = await visitor.ask("POST", "/api/items", { body: "x".repeat(256 * 1024 - 1) });
  assert.equal(over.status, 413);
  assert.deepEqual(over.set, []);
  const just = await visitor.ask("POST", "/api/items", { body: "x".repeat(256 * 1024 - 2) });
  assert.equal(just.status, 503);
});

test("of the browser's headers three go to the API, and of the API's few come back", async () => {
  const api = await otherApi((request, response) => {
    const token = `h.${Buffer.from(JSON.stringify({ exp: 4e9 })).toString("base64url")}.s`;
    const given = JSON.stringify({ data: { token, profile: "gid://shopify/Customer/7" } });
    const ours = request.url.endsWith("/profiles/token");
    response.writeHead(201, {
      "content-type": "application/json", "set-cookie": "a=b", "access-control-allow-origin": "*",
      "cache-control": "public", server: "x", location: "http://inside/api/2025-04/items/a-1", "x-inside": "1",
    });
    response.end(ours ? given : "{}");
  });
  const id = crypto.randomUUID();
  const answer = await browser(proxies({ api: api.url })).ask("POST", "/api/items?limit=1", {
    body: {}, context: { customer: "7" },
    headers: {
      authorization: "Bearer browser", cookie: "a=b", profile: "gid://shopify/Customer/8", accept: "text/x",
      "x-forwarded-for": "1.2.3.4", forwarded: "for=1.2.3.4", "x-request-id": id, "x-other": "1",
    },
  });
  await api.close();
  const [token, items] = api.got;
  assert.equal(token.headers.authorization, `Bearer ${service.token}`);
  assert.match(items.headers.authorization, /^Bearer h\..*\.s$/);
  assert.equal(items.url, "/api/2025-04/items?limit=1");
  const connection = ["host", "connection", "content-length", "user-agent", "accept-encoding", "accept-language", "sec-fetch-mode"];
  const names = Object.keys(items.headers).filter((name) => !connection.includes(name)).sort();
  assert.deepEqual(names, ["accept", "authorization", "content-type", "x-request-id"]);
  assert.equal(items.headers.accept, "text/x");
  assert.equal(items.headers["x-request-id"], id);
  assert.deepEqual([...answer.headers.keys()].sort(), [
    "cache-control", "content-type", "date", "location", "vary", "wishwell-shopper", "x-content-type-options", "x-request-id",
  ]);
  assert.equal(answer.headers.get("location"), `${BASE}/api/items/a-1`);
  assert.equal(answer.headers.get("cache-control"), "private, no-store");
});

test("the API away is 503, an API that is silent, or breaks off, is 504", async () => {
  const context = { customer: "7" };
  for (const fetch of [globalThis.fetch, nodeFetch]) {
    const away = await browser(proxies({ api: await nobody(), fetch })).ask("GET", "/api/items", { context });
    assert.equal(away.status, 503);
    assert.equal(away.headers.get("retry-after"), "1");
  }
  const silent = await otherApi(() => {});
  const late = await browser(proxies({ api: silent.url, timeout: 0.2 })).ask("GET", "/api/items", { context });
  await silent.close();
  assert.equal(late.status, 504);
  const breaking = await otherApi((request) => request.socket.destroy());
  const broken = await browser(proxies({ api: breaking.url })).ask("GET", "/api/items", { context });
  await breaking.close();
  assert.equal(broken.status, 504);
  assert.equal(broken.error.statusCode, 504);
});

test("a kept connection that ends: a read is sent once more, a POST never", async () => {
  const token = `h.${Buffer.from(JSON.stringify({ iat: 0, exp: 86400 })).toString("base64url")}.s`;
  const given = JSON.stringify({ data: { token, profile: "gid://shopify/Customer/7" } });
  const used = new Map();
  const api = await otherApi((request, response) => {
    used.set(request.socket, (used.get(request.socket) ?? 0) + 1);
    if (used.get(request.socket) > 1) return request.socket.destroy();
    response.writeHead(201, { "content-type": "application/json" });
    response.end(given);
  });
  const visitor = browser(proxies({ api: api.url, fetch: nodeFetch }));
  const context = { customer: "7" };
  // The token's connection is kept, and ends under the request that comes next on it.
  assert.equal((await visitor.ask("GET", "/api/items", { context })).status, 201);
  assert.deepEqual(api.got.map(({ method }) => method), ["POST", "GET", "GET"]);
  assert.equal((await visitor.ask("GET", "/api/lists", { context })).status, 201);
  assert.equal((await visitor.ask("POST", "/api/items", { body: {}, context })).status, 504);
  const posts = api.got.filter(({ method, url }) => method === "POST" && url.endsWith("/items"));
  await api.close();
  assert.equal(posts.length, 1);
});

test("a token that was revoked is replaced, and the request repeated once", async () => {
  const customer = fresh();
  const shopper = browser(proxies());
  const context = { customer };
  await save(shopper, 51, { context });
  const gid = `gid://shopify/Customer/${customer}`;
  const given = await service.api("/profiles/token", {
    method: "POST",
    headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
    body: JSON.stringify({ customer: gid }),
  });
  const { token } = (await given.json()).data;
  const direct = async () =>
    (await service.api("/items", { headers: { authorization: `Bearer ${token}` } })).status;
  assert.equal(await direct(), 200);
  service.cli("token", "revoke", "--store", "default", gid);
  // Every token of the profile that was made before is refused, within five seconds.
  while ((await direct()) !== 401) await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual(await productsOf(shopper, { context }), [51]);
});

test("the platform's signed query: who is shopping, and nothing without it", async () => {
  const proxy = proxies({ platformSecret: "app" });
  const customer = fresh();
  const query = (more) => {
    const all = { shop: "a", path_prefix: "/x", timestamp: `${Math.floor(Date.now() / 1000)}`, ...more };
    const text = Object.entries(all).map(([name, value]) => `${name}=${value}`).sort().join("");
    return `?${new URLSearchParams(all)}&signature=${createHmac("sha256", "app").update(text).digest("hex")}`;
  };
  const shopper = browser(proxy);
  const signed = query({ logged_in_customer_id: customer });
  assert.equal((await save(shopper, 1)).status, 401);
  const saved = await shopper.ask("POST", `/api/items${signed}`, { body: { productId: 61 } });
  assert.equal(saved.status, 201);
  assert.equal(saved.shopper, mark(`gid://shopify/Customer/${customer}`));
  const read = await shopper.ask("GET", `/api/items${query({ logged_in_customer_id: customer, limit: "1" })}`);
  assert.deepEqual(read.data.map((item) => item.productId), [61]);
  const nobody = await shopper.ask("GET", `/api/items${query({ logged_in_customer_id: "" })}`);
  assert.deepEqual(nobody.data, []);
  assert.equal((await shopper.ask("GET", "/assets/wishwell.js")).status, 401);
  assert.equal((await shopper.ask("GET", "/livez")).text, "ok");
});

test("the browser library has the hash of its content in its name", async () => {
  const visitor = browser(proxies({ asset: "export {};\n" }));
  const led = await visitor.ask("GET", "/assets/wishwell.js");
  assert.equal(led.status, 302);
  assert.equal(led.headers.get("cache-control"), "no-cache");
  const place = led.headers.get("location");
  assert.match(place, /^\/apps\/wishlist\/assets\/wishwell-[0-9a-f]{16}\.js$/);
  const file = await visitor.ask("GET", place.slice(BASE.length));
  assert.equal(file.text, "export {};\n");
  assert.equal(file.headers.get("content-type"), "text/javascript; charset=utf-8");
  assert.equal(file.headers.get("cache-control"), "public, max-age=31536000, immutable");
  assert.equal((await visitor.ask("GET", "/assets/wishwell-0123456789abcdef.js")).status, 404);
  const absent = await browser(proxies()).ask("GET", "/assets/wishwell.js");
  assert.equal(absent.status, 404);
  assert.match(absent.error.message, /not installed/);
});

test("a function of the shop that fails is 500, and the log has the reason", async () => {
  const customer = async () => {
    throw new Error("the sessions are away");
  };
  const answer = await browser(proxies({ customer })).ask("GET", "/api/items");
  assert.equal(answer.status, 500);
  assert.ok(!answer.text.includes("sessions"));
  const entry = log.find((one) => one.event === "failed" && one.requestId === answer.error.requestId);
  assert.equal(entry.reason, "the sessions are away");
});

test("the log holds no cookie, no token, no query and no GID", async () => {
  const visitor = browser(proxies());
  await save(visitor, 71);
  await visitor.ask("GET", "/api/items?query=product:71");
  const text = JSON.stringify(log);
  for (const secret of [service.token, SECRET, visitor.cookie.slice(9), "product:71", "gid://", "Bearer"]) {
    assert.ok(!text.includes(secret), secret);
  }
  const line = log.at(-1);
  assert.deepEqual(Object.keys(line), ["event", "level", "requestId", "method", "route", "status", "ms"]);
  assert.equal(line.route, "/items");
});
