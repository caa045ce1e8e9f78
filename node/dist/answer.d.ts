/** Answers: plain data until the very end, when one becomes a `Response`. */
/** Status, headers (lower-case names) and body; null is no body. */
export interface Answer {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | Uint8Array<ArrayBuffer> | null;
}
/** An error of the proxy's own in the API's envelope. */
export declare function envelope(status: number, message: string, requestId: string, headers?: Record<string, string>): Answer;
/** 200 with `{"data": [...]}`: what a shopper who has saved nothing reads. */
export declare function emptyPage(): Answer;
/** The `Response` of an answer; HEAD and bodiless statuses get no body. */
export declare function toResponse(answer: Answer, method: string, cookies?: string[]): Response;
