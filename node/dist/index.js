/** The proxy between a shop's pages and a Wishwell service, on web standards alone. */
export { BadSetting } from "./errors.js";
export { createProxy } from "./handler.js";
