// A shop to test against: the real service on a fresh database, and in front of it a small server with
// one origin. For a page it behaves as docs/storefront.md says: it knows the visitor by a cookie, adds
// the token, and names the shopper. A test makes it fail with `fault`.
import { spawn, spawnSync } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BASE = '/apps/wishlist';
const root = fileURLToPath(new URL('../../..', import.meta.url));
const wishwell = join(root, '.venv/bin/wishwell');
/** The scripts by their names with a hash, and these names by the plain ones. */
const scripts = new Map();
const hashed = new Map();
const folder = join(root, 'src/wishwell/browser');
for (const file of (await readdir(folder)).filter((file) => file.endsWith('.js'))) {
  const name = file.slice(0, -3);
  const script = await readFile(join(folder, file));
  const hash = createHash('sha256').update(script).digest('hex').slice(0, 12);
  scripts.set(`${name}-${hash}.js`, script);
  hashed.set(`${name}.js`, `${name}-${hash}.js`);
}

// All that the library needs from a page's policy.
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; " +
  "require-trusted-types-for 'script'";

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}

/** The service, ready to answer: its address, an admin token, and a way to end it. */
export async function startService() {
  const folder = await mkdtemp(join(tmpdir(), 'wishwell-browser-'));
  const port = await freePort();
  const env = {
    ...process.env,
    WISHWELL_DATABASE_URL: `sqlite:///${join(folder, 'wishwell.db')}`,
    WISHWELL_PORT: String(port),
  };
  spawnSync(wishwell, ['init'], { env });
  const service = spawn(wishwell, ['serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  service.stderr.on('data', (text) => (said += text));
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${url}/readyz`).catch(() => undefined))?.ok) {
    if (service.exitCode !== null) throw new Error(`The service ended: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const run = (/** @type {string[]} */ ...args) =>
    spawnSync(wishwell, args, { env, encoding: 'utf8' }).stdout.trim();
  const tokenOf = (/** @type {string} */ store) =>
    run('token', 'create', '--store', store, '--label', 'browser tests');
  /** A token of another store, whose product ids are text. */
  const textToken = () => {
    run('store', 'create', 'texts', '--product-ids', 'text');
    return tokenOf('texts');
  };
  const stop = async () => {
    service.kill();
    await once(service, 'exit');
    await rm(folder, { recursive: true });
  };
  return { api: `${url}/api/2025-04`, token: tokenOf('default'), textToken, stop };
}

/** A later version's answer. @param {string} text */
const ofLater = (text) =>
  JSON.stringify(JSON.parse(text), (key, value) =>
    key === 'code'
      ? 'code_of_2030'
      : value && typeof value === 'object' && !Array.isArray(value)
        ? { ...value, unknownField: 1 }
        : value,
  );

/**
 * The shop. Without `cookies`, all requests come from one visitor: for clients that keep no cookies.
 *
 * @param {{ api: string, token: string }} service
 */
export async function startShop({ api, token }, { cookies = true } = {}) {
  const shop = {
    origin: '',
    base: '',
    /** The requests, in order. @type {{ method: string, path: string, at: number, status?: number }[]} */
    requests: [],
    /** The scripts that were asked for. @type {string[]} */
    assets: [],
    /**
     * How a request fails: with an answer in place of the service's; by a connection that ends before
     * the service has the request (`cut`) or after (`lose`).
     *
     * @type {(request: { method: string, path: string }) => undefined | 'cut' | 'lose' |
     *   { status: number, headers?: Record<string, string>, body?: string }}
     */
    fault: () => undefined,
    /** The page's content in place of hearts, and its scripts beside wishwell.js. */
    html: '',
    css: '',
    /** @type {string[]} */
    scripts: [],
    /** Whether the service answers as a later version: with fields and error codes that are new. */
    later: false,
    /** Milliseconds by which each request is delayed. */
    delay: 0,
    /** The one visitor, without cookies. @type {string | undefined} */
    visitor: undefined,
    atOnce: 0,
    mostAtOnce: 0,
    api: (/** @type {string} */ method, /** @type {string} */ path) =>
      shop.requests.filter((r) => r.method === method && r.path.startsWith(path)),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  /** @param {string | undefined} gid */
  const shopperOf = (gid) =>
    gid
      ? createHmac('sha256', 'a secret of the tests').update(gid).digest('base64url').slice(0, 16)
      : '-';

  /** @param {http.IncomingMessage} request @param {http.ServerResponse} response @param {string} path */
  async function forward(request, response, path) {
    const method = request.method ?? '';
    const entry = { method, path, at: Date.now(), status: 0 };
    shop.requests.push(entry);
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (shop.delay) await new Promise((resolve) => setTimeout(resolve, shop.delay));

    const fault = shop.fault({ method, path });
    if (fault === 'cut') return request.socket.destroy();
    const jar = Object.fromEntries(
      (request.headers.cookie ?? '').split('; ').map((pair) => pair.split('=', 2)),
    );
    const gidOf = (/** @type {string} */ value) => Buffer.from(value, 'base64url').toString();
    let gid = cookies
      ? jar.customer
        ? `gid://shopify/Customer/${jar.customer}`
        : jar.wishwell && gidOf(jar.wishwell)
      : shop.visitor;
    /** @type {Record<string, string>} */
    const headers = { 'cache-control': 'private, no-store' };
    let status, text;
    if (typeof fault === 'object') {
      ({ status } = fault);
      Object.assign(headers, fault.headers);
      text = fault.body ?? '';
    } else {
      const authorization = `Bearer ${token}`;
      const shared = path.startsWith('shared/');
      if (!gid && (method === 'POST' || (shared && method === 'PUT'))) {
        const made = await fetch(`${api}/profiles/token`, {
          method: 'POST',
          headers: { authorization },
        });
        gid = (await made.json()).data.profile;
        if (cookies) {
          const value = Buffer.from(gid).toString('base64url');
          headers['set-cookie'] = `wishwell=${value}; Path=/; HttpOnly; SameSite=Lax`;
        } else shop.visitor = gid;
      }
      if (!gid && !shared) {
        status = method === 'DELETE' ? 204 : 200;
        text = method === 'DELETE' ? '' : '{"data": []}';
      } else {
        const type = request.headers['content-type'];
        const answer = await fetch(`${api}/${path}`, {
          method,
          headers: {
            ...(gid && { authorization, profile: gid }),
            ...(type && { 'content-type': type }),
          },
          body: body.length ? body : undefined,
        });
        status = answer.status;
        text = await answer.text();
        if (shop.later && text) text = ofLater(text);
        const id = answer.headers.get('x-request-id');
        if (id) headers['x-request-id'] = id;
        if (text) headers['content-type'] = 'application/json';
      }
      if (fault === 'lose') return request.socket.destroy();
    }
    entry.status = status;
    response.writeHead(status, { ...headers, 'wishwell-shopper': shopperOf(gid) }).end(text);
  }

  const server = http.createServer(async (request, response) => {
    const { pathname, search, searchParams } = new URL(request.url ?? '', 'http://shop');
    if (pathname.startsWith(`${BASE}/api/`)) {
      shop.mostAtOnce = Math.max(shop.mostAtOnce, request.method === 'GET' ? 0 : ++shop.atOnce);
      try {
        await forward(request, response, pathname.slice(BASE.length + 5) + search);
      } finally {
        if (request.method !== 'GET') shop.atOnce--;
      }
    } else if (pathname.startsWith(`${BASE}/assets/`)) {
      const name = pathname.slice(BASE.length + 8);
      const [location, script] = [hashed.get(name), scripts.get(name)];
      shop.assets.push(name);
      if (location) response.writeHead(302, { location, 'cache-control': 'no-cache' }).end();
      else if (script) response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
      else response.writeHead(404).end();
    } else if (pathname === '/') {
      const count = Number(searchParams.get('hearts') ?? 1);
      const hearts = Array.from(
        { length: count },
        (_, at) => `<wishlist-button product-id="${at + 1}"></wishlist-button>`,
      );
      const src = `${BASE}/assets/wishwell.js`;
      const ids = searchParams.has('text') ? 'data-product-ids="text"' : '';
      response
        .writeHead(200, { 'content-type': 'text/html', 'content-security-policy': POLICY })
        .end(
          `<!doctype html><html lang="${searchParams.get('lang') ?? 'en'}" dir="${searchParams.get('dir') ?? 'ltr'}">` +
            '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Shop</title>' +
            `<link rel="stylesheet" href="/shop.css"><script type="module" src="${src}" ${ids}></script>` +
            shop.scripts
              .map((name) => `<script type="module" src="${BASE}/assets/${name}.js"></script>`)
              .join('') +
            `<body>${shop.html || hearts.join('\n')}`,
        );
    } else if (pathname === '/shop.css') {
      response.writeHead(200, { 'content-type': 'text/css' }).end(shop.css);
    } else {
      response.writeHead(404).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  shop.origin = `http://127.0.0.1:${port}`;
  shop.base = shop.origin + BASE;
  return shop;
}
