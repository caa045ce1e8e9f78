/** The reverse proxies in front whose X-Forwarded headers count. */
import type { IncomingMessage } from "node:http";
/** Whether the sender of a request is a trusted proxy. */
export type Trusted = (request: IncomingMessage) => boolean;
/** The rule of these addresses and networks. Throws `BadSetting`. */
export declare function trustedOf(networks: readonly string[]): Trusted;
