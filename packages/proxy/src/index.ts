import { failure, type FailureStatus } from './failure.js';

// Request headers forwarded to the service, and response headers forwarded to the browser.
const TO_SERVICE =
  'accept accept-language content-type cookie if-none-match origin sec-fetch-site traceparent x-request-id'.split(
    ' ',
  );
const TO_BROWSER = (
  'allow cache-control content-security-policy content-type etag location referrer-policy ' +
  'retry-after vary wishwell-shopper x-content-type-options x-ratelimit-limit ' +
  'x-ratelimit-remaining x-ratelimit-reset x-request-id x-robots-tag'
).split(' ');
// Headers that the service trusts from this proxy only, and hop-by-hop headers.
const NEVER_PASSED =
  /^(authorization|profile|forwarded|x-forwarded-.*|wishwell-.*|host|connection|content-length|transfer-encoding)$/i;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Maximum size of a request's body in bytes. */
export const LARGEST = 256 * 1024;

export interface Options {
  /** URL of the service, such as `http://127.0.0.1:8000`. */
  api: string;
  /** The token, made with `wishwell token create --for storefront`. Keep it on the server. */
  token: string;
  /**
   * The signed-in customer, as verified by your server: an id or a GID; null or '' for a visitor.
   * Needs a token made with `--names-customers`. If undefined, the JWT and the cookie identify the
   * shopper.
   */
  customer?: string | number | null | undefined;
  /** The browser's IP address, as your server or platform determines it. */
  address?: string | undefined;
  /** The path below which requests are forwarded; by default `/apps/wishlist`. */
  base?: string | undefined;
  /** The shop's origin, `https://shop.example`, if the request's URL has another host or scheme. */
  origin?: string | undefined;
  /** Further request headers to forward, such as the one with the shop's JWT. */
  headers?: readonly string[] | undefined;
  /** Seconds until the whole response must have arrived; by default 10. */
  timeout?: number | undefined;
}

/**
 * Forwards the request to the service, and returns its response. A body over 256 KiB is 413; a path
 * outside the base 404; an unreachable service 503; a response that takes too long 504. Throws
 * TypeError for a bad option.
 */
export async function forward(request: Request, options: Options): Promise<Response> {
  const { base = '/apps/wishlist', timeout = 10 } = options;
  const api = addressOf('api', options.api);
  must(/^(\/[^/]+)+$/.test(base), 'base must be a path without a trailing slash');
  must(timeout > 0 && timeout < 4e6, 'timeout must be a number of seconds');
  must(!request.bodyUsed, 'the body of the request was read before forward could');
  const headers = headersFor(request, options);
  const { pathname, search } = new URL(request.url);
  const refuse = (status: FailureStatus, message: string) =>
    failure(status, message, headers.get('x-request-id') ?? '', request.method);
  if (!pathname.startsWith(`${base}/`))
    return refuse(404, `Only paths below ${base}/ are forwarded.`);
  const body = await bodyOf(request).catch(() => null);
  if (body === null) return refuse(400, 'The body is incomplete.');
  if (body === 'too large') return refuse(413, 'The body must be at most 256 KiB.');
  const signal = AbortSignal.timeout(timeout * 1000);
  const url = api.origin + api.pathname.replace(/\/+$/, '') + pathname + search;
  const init: RequestInit = { method: request.method, headers, redirect: 'manual', signal };
  if (body !== undefined) init.body = body;
  // Next.js might share a cached response between users. Cloudflare Workers from before November
  // 2024 reject this option.
  if ('cache' in Request.prototype) init.cache = 'no-store';
  try {
    return await toBrowser(await fetch(url, init), request.method);
  } catch {
    if (!signal.aborted) return refuse(503, "The wishlist service can't be reached now.");
    const message =
      'The wishlist service did not respond in time. A change may or may not have been made.';
    return refuse(504, message);
  }
}

function must(holds: boolean, message: string): void {
  if (!holds) throw new TypeError(`@wishwell/proxy: ${message}`);
}

function addressOf(name: string, value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : null;
  const unusable = url && (url.username || url.password || url.search || url.hash);
  must(
    url !== null && /^https?:$/.test(url.protocol) && !unusable,
    `${name} must be http://host or https://host, without a query`,
  );
  return url as URL;
}

function headersFor(request: Request, { token, customer, ...more }: Options): Headers {
  must(typeof token === 'string' && /^[!-~]+$/.test(token), 'token must be printable ASCII');
  const headers = new Headers();
  for (const name of [...TO_SERVICE, ...(more.headers ?? [])]) {
    must(!NEVER_PASSED.test(name), `headers can't have ${name}`);
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const given = headers.get('x-request-id') ?? '';
  // Chosen here, so that a request without a response can be found in the service's log.
  headers.set('x-request-id', UUID.test(given) ? given : crypto.randomUUID());
  headers.set('authorization', `Bearer ${token}`);
  const { host, protocol } =
    more.origin === undefined ? new URL(request.url) : addressOf('origin', more.origin);
  headers.set('x-forwarded-host', host);
  headers.set('x-forwarded-proto', protocol.slice(0, -1));
  if (more.address) headers.set('x-forwarded-for', more.address);
  if (customer !== undefined) headers.set('wishwell-customer', customerHeader(customer));
  return headers;
}

/** Returns `-` for null and ''. Any other bad value throws, so that none passes for a visitor. */
function customerHeader(customer: unknown): string {
  if (customer === null || customer === '') return '-';
  const known = typeof customer === 'string' || Number.isSafeInteger(customer);
  const id = known ? String(customer) : '';
  must(
    /^[!-~]+$/.test(id) && id !== '-',
    'customer must be an id or a GID in printable ASCII without spaces, or null for nobody',
  );
  return id;
}

/** Returns the whole body; undefined if there is none. */
async function bodyOf(request: Request): Promise<ArrayBuffer | 'too large' | undefined> {
  if (Number(request.headers.get('content-length')) > LARGEST) return 'too large';
  if (!request.body || ['GET', 'HEAD'].includes(request.method)) return undefined;
  const reader = request.body.getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts).arrayBuffer();
    size += value.byteLength;
    if (size > LARGEST) return 'too large';
    parts.push(value);
  }
}

async function toBrowser(answer: Response, method: string): Promise<Response> {
  const { status } = answer;
  const headers = new Headers();
  for (const name of method === 'HEAD' ? [...TO_BROWSER, 'content-length'] : TO_BROWSER) {
    const value = answer.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  for (const cookie of answer.headers.getSetCookie()) headers.append('set-cookie', cookie);
  const bodiless = method === 'HEAD' || [204, 205, 304].includes(status);
  return new Response(bodiless ? null : await answer.arrayBuffer(), { status, headers });
}
