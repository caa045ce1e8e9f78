/** Answers: plain data until the very end, when one becomes a `Response`. */
const PHRASES = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    413: "Content Too Large",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
};
/** An error of the proxy's own in the API's envelope. */
export function envelope(status, message, requestId, headers = {}) {
    const error = PHRASES[status] ?? "Error";
    return {
        status,
        headers: { "content-type": "application/json", "x-request-id": requestId, ...headers },
        body: JSON.stringify({ error: { message, error, statusCode: status, requestId } }),
    };
}
/** 200 with `{"data": [...]}`: what a shopper who has saved nothing reads. */
export function emptyPage() {
    return { status: 200, headers: { "content-type": "application/json" }, body: '{"data":[]}' };
}
/** The `Response` of an answer; HEAD and bodiless statuses get no body. */
export function toResponse(answer, method, cookies = []) {
    const headers = new Headers(answer.headers);
    for (const cookie of cookies)
        headers.append("set-cookie", cookie);
    const { status, body } = answer;
    if (method === "HEAD" && body !== null) {
        const length = typeof body === "string" ? new TextEncoder().encode(body).length : body.length;
        headers.set("content-length", String(length));
    }
    const bodiless = method === "HEAD" || [204, 205, 304].includes(status);
    return new Response(bodiless ? null : body, { status, headers });
}
