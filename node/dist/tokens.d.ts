/** Profile tokens: kept for the last shoppers, renewed early, asked for once at a time for each. */
import type { Answer } from "./answer.js";
import type { LogEntry } from "./settings.js";
/** The body of `POST /profiles/token`. */
export interface Wanted {
    readonly customer?: string;
    readonly session?: string;
}
/** The tokens of one store. `profile` is a GID throughout; all may throw `Fault` and `Refused`. */
export interface Tokens {
    /** The profile's token. Throws `Gone` for a session that the API no longer knows. */
    of(profile: string, requestId: string): Promise<string>;
    /** Forgets a token that the API refused, unless it has been replaced meanwhile. */
    drop(profile: string, token: string): void;
    /** A new session; its GID. */
    begin(requestId: string): Promise<string>;
    /** Moves a session to a customer. Harmless for one that is gone, or linked. */
    link(customer: string, session: string, requestId: string): Promise<void>;
}
/** Asks the API with the admin token. */
export type Asked = (wanted: Wanted, requestId: string) => Promise<Answer>;
/** `limit` is how many shoppers are kept. */
export declare function tokensOf(request: Asked, limit: number, now: () => number, log?: (entry: LogEntry) => void): Tokens;
