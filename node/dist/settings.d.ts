/** Settings: given as options, checked once, frozen; every bad one is named. */
/** Names a customer: an id, a whole GID, or null for nobody. */
export type Customer = (request: Request) => Promise<string | null> | string | null;
/** A JSON Web Key Set (RFC 7517). */
export interface KeySet {
    readonly keys: readonly (JsonWebKey & {
        kid?: string;
    })[];
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
export type Fetch = (address: string, request: {
    readonly method: string;
    readonly headers: Headers;
    readonly body: string | Uint8Array<ArrayBuffer> | null;
    readonly signal: AbortSignal;
    readonly redirect: "manual";
    /** Whether a request may be sent once more when a kept connection ends before any answer. */
    readonly again: boolean;
}) => Promise<{
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
export declare function settle(options: Options): Settings;
/** The values of a setting that takes several: an array, or a text with commas. */
export declare function list(value: string | readonly string[]): string[];
