/** The adapter for Node: `http.createServer`, Express and whatever takes a listener. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Answer } from "./answer.js";
import type { Proxy } from "./handler.js";
export { nodeFetch } from "./requests.js";
export interface ListenerOptions {
    /** Addresses or networks whose X-Forwarded-Proto and -Host count; default none. */
    readonly trusted?: string | readonly string[];
    /** The customer's id or GID, from the framework's own request; null is nobody. */
    readonly customer?: (request: IncomingMessage) => Promise<string | null> | string | null;
}
export type Listener = (request: IncomingMessage, response: ServerResponse) => void;
/** A listener that answers with the proxy. Mount it before anything that reads bodies. */
export declare function toNodeListener(proxy: Proxy, options?: ListenerOptions): Listener;
/** The headers of an answer that was given before the path was looked at. */
export declare function guarded(headers: Answer["headers"]): Record<string, string>;
