/** Requests to the API on Node's own client, with kept connections. */
import type { Fetch } from "./settings.js";
/**
 * As much of fetch as the proxy needs; it follows no redirect, and reads the whole answer. Rejects
 * with `Unreached` when no connection was made.
 */
export declare const nodeFetch: Fetch;
