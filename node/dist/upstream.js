/** One request to the API: within the time allowed, or `Refused` with 502, 503 or 504. */
import { Refused, Unreached } from "./errors.js";
/** Node's codes of a connection that was not made. After any other fault the request may be there. */
const UNMADE = new Set([
    "ECONNREFUSED",
    "ENOTFOUND",
    "EAI_AGAIN",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "EADDRNOTAVAIL",
    "UND_ERR_CONNECT_TIMEOUT",
]);
const IDEMPOTENT = new Set(["GET", "PUT", "DELETE"]);
/** Sends and reads the whole answer. */
export async function ask(settings, call, token) {
    const headers = new Headers(call.headers);
    headers.set("authorization", `Bearer ${token}`);
    const signal = AbortSignal.timeout(settings.timeout * 1000);
    let response;
    let body;
    try {
        const { method, body: sent } = call;
        const again = call.harmless === true || IDEMPOTENT.has(method);
        const options = { method, headers, body: sent, signal, again, redirect: "manual" };
        response = await settings.fetch(settings.api + call.path, options);
        body = new Uint8Array(await response.arrayBuffer());
    }
    catch (error) {
        throw failureOf(error, signal, settings);
    }
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
        settings.log({ event: "api_redirects", level: "error", status: response.status });
        throw new Refused(502, "The wishlist answered with a redirect.");
    }
    return { status: response.status, headers: Object.fromEntries(response.headers), body };
}
function failureOf(error, signal, settings) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const { message, code } = cause;
    settings.log({ event: "api_away", level: "warning", reason: message || code || String(cause) });
    if (error instanceof Unreached || (!signal.aborted && UNMADE.has(code ?? ""))) {
        const message = "The wishlist can't be reached just now. Nothing was done.";
        return new Refused(503, message, { "retry-after": "1" });
    }
    const doubt = "A change may or may not be done.";
    return new Refused(504, `The wishlist did not answer, or not to the end. ${doubt}`);
}
