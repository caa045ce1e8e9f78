/** The reverse proxies in front whose X-Forwarded headers count. */
/** Whether an address is that of a trusted proxy. */
export type Trusted = (address: string) => boolean;
/** The rule of these addresses and networks. Throws `BadSetting`. */
export declare function trustedOf(networks: readonly string[]): Trusted;
/** The client of a request by X-Forwarded-For, up to the first, from the right, that is no trusted proxy. */
export declare function clientOf(peer: string, forwarded: string | undefined, trusts: Trusted): string | null;
