/** The reverse proxies in front whose X-Forwarded headers count. */
/** Whether an address is that of a trusted proxy. */
export type Trusted = (address: string) => boolean;
/** The rule of these addresses and networks. Throws `BadSetting`. */
export declare function trustedOf(networks: readonly string[]): Trusted;
/** Who a request comes from: the first, from the right, that is no trusted proxy; null for none. */
export declare function shopperOf(peer: string, forwarded: string | undefined, trusts: Trusted): string | null;
