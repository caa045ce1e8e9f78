/** The proxy between a shop's pages and a Wishwell service, on web standards alone. */
export { BadSetting } from "./errors.js";
export { type Context, createProxy, type Proxy } from "./handler.js";
export type { Customer, Fetch, JwtOptions, KeySet, LogEntry, Options } from "./settings.js";
