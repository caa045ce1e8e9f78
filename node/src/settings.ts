/** Settings: given as options, checked once, frozen; every bad one is named. */

import { bad, BadSetting, Gathered } from "./errors.js";
import { isObject } from "./signing.js";

/** Names a customer: an id, a whole GID, or null for nobody. */
export type Customer = (request: Request) => Promise<string | null> | string | null;

/** A JSON Web Key Set (RFC 7517). */
export interface KeySet {
  readonly keys: readonly (JsonWebKey & { kid?: string })[];
}

/** How the shop's JWT is found and checked. One of `key` and `jwks`; a cookie, a header or both. */
export interface JwtOptions {
  /** The shared secret of HS256, at least 32 characters. */
  readonly key?: string;
  /** The URL of a key set for RS256 and ES256, the set itself, or a function that reads it. */
  readonly jwks?: string | KeySet | (() => Promise<KeySet>);
  readonly cookie?: string;
  readonly header?: string;
  readonly issuer?: string;
  readonly audience?: string;
  /** The claim that names the customer; default `sub`. */
  readonly claim?: string;
}

/** One line of the log. It holds no cookie, no token, no query and no body. */
export interface LogEntry {
  readonly event: string;
  readonly level: "info" | "warning" | "error";
  readonly [field: string]: unknown;
}

/** As much of fetch as the proxy needs of it. */
export type Fetch = (
  address: string,
  request: {
    readonly method: string;
    readonly headers: Headers;
    readonly body: string | Uint8Array<ArrayBuffer> | null;
    readonly signal: AbortSignal;
    readonly redirect: "manual";
    /** Whether a request may be sent once more when a kept connection ends before any answer. */
    readonly again: boolean;
  },
) => Promise<{
  readonly status: number;
  readonly type: string;
  readonly headers: Iterable<[string, string]>;
  arrayBuffer(): Promise<ArrayBuffer>;
}>;

/** What `createProxy` takes; docs/proxy.md describes each under WISHWELL_PROXY_<NAME>. */
export interface Options {
  /** The store's admin token. */
  readonly token: string;
  /** Signs the cookie, at least 32 characters; several for rotation, the newest first. */
  readonly secret: string | readonly string[];
  /** Where the API is; default `http://127.0.0.1:8000`. */
  readonly api?: string;
  /** The path on the shop; default `/apps/wishlist`. */
  readonly base?: string;
  /** Tells two shops with one secret apart; default empty. */
  readonly store?: string;
  /** The `<platform>` of customer GIDs; default `shopify`. */
  readonly platform?: string;
  /** The shop's origins; default the request's own. */
  readonly origin?: string | readonly string[];
  /** Whether the shop is on https; default `auto`, which is what the request says. */
  readonly secure?: "auto" | "always" | "never";
  /** Seconds for one request to the API, 0.1 to 600; default 10. */
  readonly timeout?: number;
  /** Shoppers whose tokens are kept, 1 to 10,000,000; default 10,000. */
  readonly tokens?: number;
  /** Sessions that one known address may begin in a minute, 0 for no bound; default 60. */
  readonly newSessions?: number;
  /** The app's secret of the platform's signed query. */
  readonly platformSecret?: string;
  /** The shop that the signed query must name. */
  readonly platformShop?: string;
  readonly jwt?: JwtOptions;
  readonly customer?: Customer;
  /** The browser library: its text, or a function that reads it and gives null when it is absent. */
  readonly asset?: string | (() => Promise<string | null>);
  /** Takes the log; default nowhere. */
  readonly log?: (entry: LogEntry) => void;
  /** Sends the requests to the API; default the platform's fetch. on Node, `nodeFetch` of the adapter. */
  readonly fetch?: Fetch;
}

/** The settings of the shop's JWT, complete. */
export interface JwtSettings extends JwtOptions {
  readonly claim: string;
}

/** Every setting, complete and checked. */
export interface Settings {
  readonly token: string;
  readonly secrets: readonly string[];
  readonly api: string;
  readonly base: string;
  readonly store: string;
  readonly platform: string;
  readonly origins: readonly string[];
  readonly secure: "auto" | "always" | "never";
  readonly timeout: number;
  readonly tokens: number;
  readonly newSessions: number;
  readonly platformSecret: string | null;
  readonly platformShop: string | null;
  readonly jwt: JwtSettings | null;
  readonly customer: Customer | null;
  readonly asset: () => Promise<string | null>;
  readonly log: (entry: LogEntry) => void;
  readonly fetch: Fetch;
}

/** The settings of these options. Throws `BadSetting` that names every bad one. */
export function settle(options: Options): Settings {
  const { asset } = options;
  const all = new Gathered();
  const settings = {
    token: all.try(() => adminToken(options.token), ""),
    secrets: all.try(() => secrets(options.secret), []),
    api: all.try(() => api(options.api ?? "http://127.0.0.1:8000"), ""),
    base: all.try(() => base(options.base ?? "/apps/wishlist"), ""),
    store: all.try(() => store(options.store ?? ""), ""),
    platform: all.try(() => platform(options.platform ?? "shopify"), ""),
    origins: all.try(() => list(options.origin ?? []).map(origin), []),
    secure: all.try(() => secure(options.secure ?? "auto"), "auto"),
    timeout: all.try(() => number("timeout", options.timeout ?? 10, 0.1, 600), 0),
    tokens: all.try(() => whole("tokens", options.tokens ?? 10_000, 1, 10_000_000), 0),
    newSessions: all.try(() => whole("newSessions", options.newSessions ?? 60, 0, 1_000_000), 0),
    platformSecret: options.platformSecret || null,
    platformShop: options.platformShop || null,
    jwt: options.jwt ? jwt(options.jwt, all) : null,
    customer: options.customer ?? null,
    asset: typeof asset === "string" ? async () => asset : (asset ?? (async () => null)),
    log: options.log ?? (() => {}),
    fetch: options.fetch ?? ((address, request) => fetch(address, request)),
  } as const satisfies Settings;
  if (settings.platformShop !== null && settings.platformSecret === null) {
    all.broken.push({ setting: "platformShop", rule: "needs {platformSecret}", relation: true });
  }
  all.check();
  return Object.freeze(settings);
}

function adminToken(value: string): string {
  if (!value) throw missing("token", "must be set: it is the store's admin token");
  if (!/^[!-~]{16,500}$/.test(value)) throw bad("token", "must be an admin token, without spaces");
  return value;
}

function secrets(value: string | readonly string[]): readonly string[] {
  const all = typeof value === "string" ? value.split(",").map((one) => one.trim()) : (value ?? []);
  if (all.join("") === "") throw missing("secret", "must be set: it signs the cookie");
  if (all.some((one) => one.length < 32)) {
    throw bad("secret", "must be secrets of at least 32 characters each");
  }
  return all;
}

function missing(setting: string, rule: string): BadSetting {
  return new BadSetting([{ setting, rule, relation: true }]);
}

function api(value: string): string {
  const url = parsed(value);
  const plain = url && !url.username && !url.password && !url.search && !url.hash;
  if (!plain || !/^https?:$/.test(url.protocol)) {
    throw bad("api", "must be an address such as http://127.0.0.1:8000");
  }
  return url.href.replace(/\/+$/, "");
}

function base(value: string): string {
  if (value === "/") return "";
  if (!/^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/.test(value)) {
    throw bad("base", "must be a path such as /apps/wishlist, without a slash at its end");
  }
  return value;
}

function store(value: string): string {
  // A line break would let one store's signatures pass for another's.
  if (/[\x00-\x1f\x7f]/.test(value)) throw bad("store", "must have no control characters");
  return value;
}

function platform(value: string): string {
  if (!/^[a-z0-9-]{1,40}$/.test(value)) throw bad("platform", "must be 1 to 40 of a-z 0-9 -");
  return value;
}

function origin(value: string): string {
  const url = parsed(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/` || url.username) {
    throw bad("origin", "must be origins such as https://shop.example");
  }
  return url.origin;
}

function secure(value: string): Settings["secure"] {
  if (value === "auto" || value === "always" || value === "never") return value;
  throw bad("secure", "must be auto, always or never");
}

function jwt(options: JwtOptions, all: Gathered): JwtSettings {
  const { key, jwks } = options;
  const wrong = (setting: string, rule: string) => void all.broken.push({ setting, rule });
  const against = (setting: string, rule: string) =>
    void all.broken.push({ setting, rule, relation: true });
  if (key && jwks) against("jwt.jwks", "and {jwt.key} are both set; keep one");
  if (!key && !jwks) {
    const lone = (["cookie", "header", "issuer", "audience", "claim"] as const).find((n) => options[n]);
    against(lone ? `jwt.${lone}` : "jwt", "needs {jwt.key} or {jwt.jwks}");
  }
  if (key && key.length < 32) wrong("jwt.key", "must be at least 32 characters");
  if (typeof jwks === "string" && !/^https?:$/.test(parsed(jwks)?.protocol ?? "")) {
    wrong("jwt.jwks", "must be the address of a key set");
  }
  if (isObject(jwks) && !Array.isArray(jwks["keys"])) {
    wrong("jwt.jwks", "must be a key set: an object with `keys`");
  }
  if ((key || jwks) && !options.cookie && !options.header) {
    against("jwt.cookie", "or {jwt.header} is required with a key");
  }
  for (const place of ["cookie", "header"] as const) {
    if (options[place] && !/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/.test(options[place])) {
      wrong(`jwt.${place}`, `must be the name of a ${place}`);
    }
  }
  return { ...options, claim: options.claim || "sub" };
}

/** The values of a setting that takes several: an array, or a text with commas. */
export function list(value: string | readonly string[]): string[] {
  const parts = typeof value === "string" ? value.split(",") : [...value];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

function parsed(value: string): URL | null {
  return URL.canParse(value) ? new URL(value) : null;
}

function number(name: string, value: number, least: number, most: number): number {
  if (!(value >= least && value <= most)) {
    throw bad(name, `must be a number from ${least} to ${most}`);
  }
  return value;
}

function whole(name: string, value: number, least: number, most: number): number {
  if (!Number.isInteger(value)) {
    throw bad(name, `must be a whole number from ${least} to ${most}`);
  }
  return number(name, value, least, most);
}
