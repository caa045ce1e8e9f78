/** Who is shopping, as far as the shop says so: its function, its platform, its JWT. */
import type { Settings } from "./settings.js";
/** What names the customer's GID, or null. Throws 401 for evidence that is there and wrong. */
export interface Who {
    /** The customer of the platform's signed query; no request passes without its signature. */
    signed(query: string, now: number): Promise<string | null>;
    /** The first that names one. `said` is what the shop's own code says, if it says anything. */
    customer(request: Request, said: string | null | undefined, signed: string | null, now: number): Promise<string | null>;
}
export declare function whoOf(settings: Settings): Who;
/** The GID of a customer's id or of a whole GID of this platform; null of anything else. */
export declare function customerGid(named: unknown, platform: string): string | null;
