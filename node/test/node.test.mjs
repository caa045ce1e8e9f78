// The adapter and the program, over real sockets.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import { createProxy } from "../dist/index.js";
import { toNodeListener } from "../dist/node.js";
import { BIN, SECRET, started, startService } from "./service.mjs";

const BASE = "/apps/wishlist";
let service;
let program;
let folder;
const environment = (more = {}) => ({
  PATH: process.env.PATH,
  WISHWELL_PROXY_API: service.url,
  WISHWELL_PROXY_TOKEN: service.token,
  WISHWELL_PROXY_SECRET: SECRET,
  WISHWELL_PROXY_PORT: "0",
  ...more,
});
const run = (more) => started(process.execPath, [BIN], environment(more), folder);

before(async () => {
  service = await startService();
  folder = mkdtempSync(path.join(tmpdir(), "wishwell-node-"));
  writeFileSync(path.join(folder, "wishwell.js"), "export {};\n");
  program = await run({ WISHWELL_PROXY_ASSETS: folder });
});
after(async () => {
  await program.stop();
  await service.close();
  rmSync(folder, { recursive: true });
});

/** Sends bytes as they are; the answer up to its end, or to the end of the connection. */
function raw(url, text) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(Number(port), hostname, () => socket.write(text, "latin1"));
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      answer += chunk;
      const [head, body] = answer.split("\r\n\r\n");
      const length = /content-length: (\d+)/i.exec(head)?.[1];
      if (body !== undefined && body.length >= Number(length ?? 0)) socket.destroy();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve({ status: Number(answer.split(" ")[1]), text: answer }));
  });
}
const get = (target, more = "") => raw(program.url, `GET ${target} HTTP/1.1\r\nHost: shop.example\r\n${more}\r\n`);

for (const [target, status] of [
  [`${BASE}/livez`, 200], [`${BASE}/api/items`, 200], [`${BASE}/api/items/../items`, 404],
  [`${BASE}/api/./items`, 404], [`${BASE}/api/%69tems`, 404], [`${BASE}/api/items\\`, 404],
  [`/x/..${BASE}/api/items`, 404], [`${BASE}//api/items`, 404], [`/${BASE}/api/items`, 404],
  [`${BASE}/api/items%2f..`, 404], [`${BASE}/api/items/..%2fitems`, 404], [`http://shop.example${BASE}/api/items`, 400],
  [`${BASE}/api/items?a#b`, 400], [`${BASE}/api/items?a\x01`, 400], [`${BASE}/api/items?a\xe9`, 400],
  [`${BASE}/api/items?a=%23`, 200], [`${BASE}/api/items/\xe9`, 400], [`//evil.example${BASE}/livez`, 404],
]) {
  test(`GET ${JSON.stringify(target)} as it is: ${status}`, async () => {
    const answer = await get(target);
    assert.equal(answer.status, status, answer.text);
    if (status >= 400) assert.match(answer.text, /"requestId":"[0-9a-f-]{36}"/);
  });
}

const write = (headers, body = "{}") =>
  raw(program.url, `POST ${BASE}/api/items HTTP/1.1\r\nHost: shop.example\r\nSec-Fetch-Site: same-origin\r\n${headers}\r\n${body}`);

for (const [what, headers, body, status] of [
  ["both lengths", "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n", 400],
  ["two lengths", "Content-Length: 2\r\nContent-Length: 3\r\n", "{}", 400],
  ["two hosts", "Host: evil.example\r\nContent-Length: 2\r\n", "{}", 400],
  ["two origins", "Origin: http://a\r\nOrigin: http://shop.example\r\nContent-Length: 2\r\n", "{}", 400],
  ["two sites", "Sec-Fetch-Site: same-origin\r\nContent-Length: 2\r\n", "{}", 400],
  ["two types", "Content-Type: application/json\r\nContent-Type: text/html\r\nContent-Length: 2\r\n", "{}", 400],
  ["a length that is too large", "Content-Length: 262145\r\n", "", 413],
  ["a body that is too large", "Transfer-Encoding: chunked\r\n", `40001\r\n${"x".repeat(0x40001)}\r\n0\r\n\r\n`, 413],
  ["a header that is too large", `X-A: ${"x".repeat(20_000)}\r\n`, "", 431],
  ["a header that is none", "X A: 1\r\n", "", 400],
]) {
  test(`a request with ${what}: ${status}`, async () => {
    const answer = await write(headers, body);
    assert.equal(answer.status, status, answer.text.slice(0, 500));
    assert.match(answer.text, new RegExp(`"statusCode":${status}`));
    assert.match(answer.text, /wishwell-shopper: -/i);
  });
}

test("after a body that was refused the connection serves on", async () => {
  const { hostname, port } = new URL(program.url);
  const statuses = await new Promise((resolve) => {
    let answer = "";
    const socket = connect(Number(port), hostname);
    socket.on("data", (chunk) => {
      answer += chunk;
      const found = answer.match(/HTTP\/1\.1 \d+/g) ?? [];
      if (found.length === 2) resolve(found.map((line) => line.slice(-3)));
    });
    socket.write(`POST ${BASE}/api/items HTTP/1.1\r\nHost: a\r\nSec-Fetch-Site: same-origin\r\nContent-Length: 1000000\r\n\r\n`);
    socket.write("x".repeat(1_000_000));
    socket.write(`GET ${BASE}/livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  });
  assert.deepEqual(statuses, ["413", "200"]);
});

test("methods that fetch makes no request of are 405", async () => {
  const answer = await raw(program.url, `TRACE ${BASE}/api/items HTTP/1.1\r\nHost: a\r\n\r\n`);
  assert.equal(answer.status, 405);
  assert.match(answer.text, /allow: GET, HEAD, POST, DELETE/i);
});

test("two Cookie headers are one jar: the same cookie twice is nobody's", async () => {
  const answer = await get(`${BASE}/api/items`, "Cookie: wishwell=a\r\nCookie: wishwell=b\r\n");
  assert.match(answer.text, /set-cookie: wishwell=; Path=\/; HttpOnly; SameSite=Lax; Max-Age=0/i);
});

test("the program saves, reads, serves the library and logs a line a request", async () => {
  const headers = { "sec-fetch-site": "same-origin", "content-type": "application/json" };
  const url = `${program.url}${BASE}/api/items`;
  const saved = await fetch(url, { method: "POST", headers, body: '{"productId":5}' });
  assert.equal(saved.status, 201);
  const cookie = saved.headers.getSetCookie()[0].split(";")[0];
  const read = await fetch(url, { headers: { cookie } });
  assert.equal((await read.json()).data[0].productId, 5);
  const library = await fetch(`${program.url}${BASE}/assets/wishwell.js`);
  assert.match(library.url, /wishwell-[0-9a-f]{16}\.js$/);
  assert.equal(await library.text(), "export {};\n");
  const entries = program.lines.map((line) => JSON.parse(line));
  const line = entries.find((entry) => entry.requestId === saved.headers.get("x-request-id"));
  assert.equal(`${line.method} ${line.route} ${line.status}`, "POST /items 201");
  assert.ok(!program.lines.join("").includes(cookie.slice(9)));
});

test("a forwarded scheme and host count from a trusted proxy only", async () => {
  const headers = {
    "x-forwarded-proto": "https", "x-forwarded-host": "shop.example", origin: "https://shop.example",
    "content-type": "application/json",
  };
  const trusting = await run({ WISHWELL_PROXY_TRUSTED: "10.0.0.0/8, 127.0.0.1" });
  const ask = (url) => fetch(`${url}${BASE}/api/items`, { method: "POST", headers, body: '{"productId":1}' });
  const [trusted, not] = [await ask(trusting.url), await ask(program.url)];
  await trusting.stop();
  assert.match(trusted.headers.getSetCookie()[0], /^__Host-wishwell=.*; Secure$/);
  assert.equal(not.status, 403);
});

for (const [variable, more] of Object.entries({
  WISHWELL_PROXY_TOKEN: { WISHWELL_PROXY_TOKEN: "" },
  WISHWELL_PROXY_SECRET: { WISHWELL_PROXY_SECRET: "short" },
  WISHWELL_PROXY_SECRET_FILE: { WISHWELL_PROXY_SECRET: undefined, WISHWELL_PROXY_SECRET_FILE: "/nowhere" },
  WISHWELL_PROXY_TOKEN_FILE: { WISHWELL_PROXY_TOKEN_FILE: "/dev/null" },
  WISHWELL_PROXY_API: { WISHWELL_PROXY_API: "nowhere" },
  WISHWELL_PROXY_PORT: { WISHWELL_PROXY_PORT: "65536" },
  WISHWELL_PROXY_TRUSTED: { WISHWELL_PROXY_TRUSTED: "10.0.0.0/33" },
  WISHWELL_PROXY_TIMEOUT: { WISHWELL_PROXY_TIMEOUT: "1e9" },
  WISHWELL_PROXY_JWT_JWKS: { WISHWELL_PROXY_JWT_JWKS: "/nowhere", WISHWELL_PROXY_JWT_COOKIE: "a" },
  WISHWELL_PROXY_JWT_ISSUER: { WISHWELL_PROXY_JWT_ISSUER: "a" },
  WISHWELL_PROXY_SEKRET: { WISHWELL_PROXY_SEKRET: "a" },
})) {
  test(`a bad ${variable} stops the program with one line`, () => {
    const env = Object.fromEntries(Object.entries(environment(more)).filter(([, value]) => value !== undefined));
    const done = spawnSync(process.execPath, [BIN], { env, encoding: "utf8", timeout: 10_000 });
    assert.equal(done.status, 1, done.stderr);
    assert.match(done.stderr, new RegExp(`^Error: ${variable} [^\n]+\n$`));
  });
}

test("a port that is taken stops the program with one line", () => {
  const env = environment({ WISHWELL_PROXY_PORT: new URL(program.url).port });
  const done = spawnSync(process.execPath, [BIN], { env, encoding: "utf8", timeout: 10_000 });
  assert.equal(done.status, 1);
  assert.match(done.stderr, /^Error: [^\n]*WISHWELL_PROXY_HOST and _PORT\n$/);
});

test("secrets come from files; SIGTERM lets a request end, and the program with 0", async () => {
  const [token, secret] = ["token", "secret"].map((name) => path.join(folder, name));
  writeFileSync(token, `${service.token}\n`);
  writeFileSync(secret, `${SECRET}\n`);
  const held = [];
  let arrived;
  const arrival = new Promise((resolve) => (arrived = resolve));
  const api = createServer((_request, response) => {
    held.push(response);
    arrived();
  });
  await new Promise((resolve) => api.listen(0, "127.0.0.1", resolve));
  const env = {
    PATH: process.env.PATH, WISHWELL_PROXY_PORT: "0", WISHWELL_PROXY_API: `http://127.0.0.1:${api.address().port}`,
    WISHWELL_PROXY_TOKEN_FILE: token, WISHWELL_PROXY_SECRET_FILE: secret,
  };
  const one = await started(process.execPath, [BIN], env, folder);
  const answer = fetch(`${one.url}${BASE}/api/items`, { method: "POST", headers: { "sec-fetch-site": "same-origin" } });
  await arrival;
  const code = one.stop();
  await new Promise((resolve) => setTimeout(resolve, 100));
  held[0].writeHead(429).end();
  assert.equal((await answer).status, 429);
  assert.equal(await code, 0);
  api.closeAllConnections();
  api.close();
});

test("mounted as Express does it: the path before the mount counts, and the shop names the customer", async () => {
  const options = { api: service.url, token: service.token, secret: SECRET };
  const customer = (request) => request.headers["x-user"] ?? null;
  const listener = toNodeListener(createProxy(options), { customer });
  const server = createServer((request, response) => {
    request.originalUrl = request.url;
    request.url = request.url.slice(BASE.length);
    listener(request, response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}${BASE}/api/items`;
  const headers = { "sec-fetch-site": "same-origin", "content-type": "application/json", "x-user": "ann" };
  const saved = await fetch(url, { method: "POST", headers, body: '{"productId":9}' });
  assert.equal(saved.status, 201);
  assert.deepEqual(saved.headers.getSetCookie(), []);
  const read = await (await fetch(url, { headers })).json();
  assert.equal(read.data[0].productId, 9);
  server.closeAllConnections();
  server.close();
});

test("behind a body parser the answer says what to change", async () => {
  const listener = toNodeListener(createProxy({ api: service.url, token: service.token, secret: SECRET }));
  const server = createServer((request, response) => {
    request.resume().on("end", () => setImmediate(() => listener(request, response)));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}${BASE}/api/items`;
  const headers = { "sec-fetch-site": "same-origin" };
  const answer = await fetch(url, { method: "POST", headers, body: "{}" });
  assert.equal(answer.status, 500);
  assert.match((await answer.json()).error.message, /before the body parser/);
  server.closeAllConnections();
  server.close();
});
