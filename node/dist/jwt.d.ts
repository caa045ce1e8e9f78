/** The shop's JWT: HS256 with a shared secret, or RS256 and ES256 with a key set. */
import type { JwtSettings } from "./settings.js";
type Claims = Record<string, unknown>;
/** The claims of a good token; null of any other. Throws 503 when there are no keys to judge by. */
export type Judge = (token: string, now: number) => Promise<Claims | null>;
export declare function judgeOf(settings: JwtSettings, timeout: number): Judge;
export {};
