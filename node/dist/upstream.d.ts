/** One request to the API: within the time allowed, or `Refused` with 502, 503 or 504. */
import type { Answer } from "./answer.js";
import type { Settings } from "./settings.js";
/** A request to the API; the path begins behind the API's address. */
export interface Call {
    readonly method: string;
    readonly path: string;
    readonly headers: Headers;
    readonly body: string | Uint8Array<ArrayBuffer> | null;
    /** Sending it twice does no harm, whatever the method. */
    readonly harmless?: boolean;
}
/** Sends and reads the whole answer. */
export declare function ask(settings: Settings, call: Call, token: string): Promise<Answer>;
