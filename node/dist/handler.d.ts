/** The way of every request: route, refusals, who is shopping, the API, the answer. */
import { type Options } from "./settings.js";
/** What the shop's own code knows about a request. */
export interface Context {
    /** The customer's id or GID, null for nobody; without it the settings say who is shopping. */
    readonly customer?: string | null;
    /** The path and query as they were sent, where `request.url` may have been normalised. */
    readonly target?: string;
    /** Where the request comes from, for the bound on new sessions; unknown is not bounded. */
    readonly address?: string | null;
}
/** Answers a request; never rejects. */
export type Proxy = (request: Request, context?: Context) => Promise<Response>;
/** The proxy of these options. Throws `BadSetting`. */
export declare function createProxy(options: Options): Proxy;
