/** What may pass: paths, methods, queries, headers, origins, bodies. All else stays outside. */
import type { Answer } from "./answer.js";
import { Refused } from "./errors.js";
import type { Settings } from "./settings.js";
export declare const PLATFORM_PARAMETERS: ReadonlySet<string>;
/** The path and the query of a request as they were sent, without the question mark. */
export interface Target {
    readonly path: string;
    readonly query: string;
}
/** One address of the API: its template, its path there, the methods that it has. */
export interface Route {
    readonly template: string;
    readonly path: string;
    readonly methods: readonly string[];
}
/** The target of a request line, or of the address of a `Request`. */
export declare function targetOf(sent: string): Target;
/** The route of a path below `<base>/api/`, or null: dots, `%`, `\` and `//` fit none. */
export declare function routeOf(below: string): Route | null;
/** Why a request can't be taken whoever it is of, or null. Its body is not looked at. */
export declare function refusalOf(request: Request, target: Target, methods: readonly string[] | null): Refused | null;
export declare function isWrite(method: string): boolean;
/** Throws 403 for a write that another site may have caused. */
export declare function checkOrigin(request: Request, settings: Settings): void;
/** Whether the shop is on https. */
export declare function isSecure(request: Request, settings: Settings): boolean;
/** The query that goes to the API, with its question mark. */
export declare function queryToApi(query: string, settings: Settings): string;
/** The headers that go to the API, less the token. */
export declare function headersToApi(request: Request, id: string, hasBody: boolean): Headers;
/** The request id of the browser, when it is a UUID. */
export declare function uuidOf(request: Request): string | null;
/** The API's answer as the browser gets it. */
export declare function answerToBrowser(answer: Answer, base: string): Answer;
/** The whole body, or null when there is none. Throws 413 above 256 KiB, 408 after 10 s. */
export declare function bodyOf(request: Request): Promise<Uint8Array<ArrayBuffer> | null>;
