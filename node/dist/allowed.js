/** What may pass: paths, methods, queries, headers, origins, bodies. All else stays outside. */
import { Refused } from "./errors.js";
const MAX_BODY = 256 * 1024;
const BODY_SECONDS = 10;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ID = "[A-Za-z0-9-]{1,64}";
const VERSION = "/api/2025-04";
const ROUTES = [
    [/^items$/, "/items", ["GET", "HEAD", "POST", "DELETE"]],
    [new RegExp(`^items/${ID}$`), "/items/{id}", ["GET", "HEAD", "PATCH", "DELETE"]],
    [new RegExp(`^items/${ID}/lists$`), "/items/{id}/lists", ["PUT"]],
    [/^lists$/, "/lists", ["GET", "HEAD", "POST"]],
    [new RegExp(`^lists/${ID}$`), "/lists/{id}", ["GET", "HEAD", "PATCH", "DELETE"]],
    [new RegExp(`^lists/${ID}/items/order$`), "/lists/{id}/items/order", ["PUT"]],
];
const TO_BROWSER = [
    "content-type",
    "cache-control",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "retry-after",
    "x-request-id",
    "allow",
    "date",
];
export const PLATFORM_PARAMETERS = new Set([
    "signature",
    "timestamp",
    "shop",
    "path_prefix",
    "logged_in_customer_id",
]);
/** The target of a request line, or of the address of a `Request`. */
export function targetOf(sent) {
    const target = sent.startsWith("/") ? sent : sent.replace(/^[a-z]+:\/\/[^/?#]*/i, "");
    const [mark, hash] = [target.indexOf("?"), target.indexOf("#")];
    // A fragment before any question mark is no query; in a path it is refused with the path.
    const end = mark >= 0 ? mark : hash >= 0 ? hash : target.length;
    return { path: target.slice(0, end), query: target.slice(mark >= 0 ? end + 1 : end) };
}
/** The route of a path below `<base>/api/`, or null: dots, `%`, `\` and `//` fit none. */
export function routeOf(below) {
    const found = ROUTES.find(([pattern]) => pattern.test(below));
    if (found === undefined)
        return null;
    return { template: found[1], path: `${VERSION}/${below}`, methods: found[2] };
}
/** Why a request can't be taken whoever it is of, or null. Its body is not looked at. */
export function refusalOf(request, target, methods) {
    if (methods === null)
        return new Refused(404, "There is nothing at this path.");
    if (!methods.includes(request.method)) {
        const allow = methods.join(", ");
        return new Refused(405, `This path takes ${allow}.`, { allow });
    }
    if (!/^[!"$-~]*$/.test(target.query)) {
        return new Refused(400, "The query may hold printable ASCII characters only, and no #.");
    }
    if (request.headers.has("content-length") && request.headers.has("transfer-encoding")) {
        return new Refused(400, "Content-Length and Transfer-Encoding can't both be there.");
    }
    return null;
}
export function isWrite(method) {
    return method !== "GET" && method !== "HEAD";
}
/** Throws 403 for a write that another site may have caused. */
export function checkOrigin(request, settings) {
    const site = request.headers.get("sec-fetch-site");
    const origin = request.headers.get("origin");
    if (site === "same-origin")
        return;
    if (site === null && origin === null) {
        throw new Refused(403, "A change needs the header Origin or Sec-Fetch-Site.");
    }
    const own = settings.origins.length > 0 ? settings.origins : [ownOrigin(request, settings)];
    // A browser that sends Sec-Fetch-Site knows better than a comparison of names.
    if (site === null && own.includes(origin ?? ""))
        return;
    throw new Refused(403, "Only the shop's own pages may change a wishlist.");
}
function ownOrigin(request, settings) {
    const url = new URL(request.url);
    return new URL(`${isSecure(request, settings) ? "https" : "http"}://${url.host}`).origin;
}
/** Whether the shop is on https. */
export function isSecure(request, settings) {
    if (settings.secure !== "auto")
        return settings.secure === "always";
    return request.url.startsWith("https:");
}
/** The query that goes to the API, with its question mark. */
export function queryToApi(query, settings) {
    const parts = query.split("&");
    const kept = settings.platformSecret === null ? parts : parts.filter((part) => !isPlatforms(part));
    const text = kept.join("&");
    return text === "" ? "" : `?${text}`;
}
function isPlatforms(part) {
    const [name] = [...new URLSearchParams(`?${part}`).keys()];
    return name !== undefined && PLATFORM_PARAMETERS.has(name);
}
/** The headers that go to the API, less the token. */
export function headersToApi(request, id, hasBody) {
    const headers = new Headers();
    // Section 7.6.1 of RFC 9110: what Connection names is for this hop, and ends here.
    const hop = (request.headers.get("connection") ?? "").toLowerCase().split(/[\s,]+/);
    for (const name of hasBody ? ["content-type", "accept"] : ["accept"]) {
        const value = request.headers.get(name);
        if (value !== null && !hop.includes(name))
            headers.set(name, value);
    }
    headers.set("x-request-id", id);
    // Fetch would ask for a coding that it then takes off: work for nobody on the inside.
    headers.set("accept-encoding", "identity");
    return headers;
}
/** The request id of the browser, when it is a UUID. */
export function uuidOf(request) {
    const given = request.headers.get("x-request-id");
    return given !== null && UUID.test(given) ? given.toLowerCase() : null;
}
/** The API's answer as the browser gets it. */
export function answerToBrowser(answer, base) {
    const headers = {};
    for (const name of TO_BROWSER) {
        const value = answer.headers[name];
        if (value !== undefined)
            headers[name] = value;
    }
    const location = locationToBrowser(answer.headers["location"], base);
    if (location !== null)
        headers["location"] = location;
    return { status: answer.status, headers, body: answer.body };
}
function locationToBrowser(location, base) {
    const match = /^(?:https?:\/\/[^/?#]*)?(?:\/[^?#]*)?\/api\/2025-04\/([^?#]*)$/.exec(location ?? "");
    return match?.[1] !== undefined && routeOf(match[1]) !== null ? `${base}/api/${match[1]}` : null;
}
/** The whole body, or null when there is none. Throws 413 above 256 KiB, 408 after 10 s. */
export async function bodyOf(request) {
    const tooLarge = new Refused(413, "The body must be at most 256 KiB.");
    if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY)
        throw tooLarge;
    if (request.body === null)
        return null;
    const reader = request.body.getReader();
    let late = () => { };
    const deadline = new Promise((_, reject) => {
        late = () => reject(new Refused(408, "The body did not arrive in time."));
    });
    const timer = setTimeout(late, BODY_SECONDS * 1000);
    const parts = [];
    let size = 0;
    try {
        for (;;) {
            const read = reader.read().catch(() => {
                throw new Refused(400, "The body ended early.");
            });
            const { done, value } = await Promise.race([read, deadline]);
            if (done)
                return size === 0 ? null : joined(parts, size);
            size += value.byteLength;
            if (size > MAX_BODY)
                throw tooLarge;
            parts.push(value);
        }
    }
    catch (error) {
        void reader.cancel().catch(() => { });
        throw error;
    }
    finally {
        clearTimeout(timer);
    }
}
function joined(parts, size) {
    const whole = new Uint8Array(size);
    let at = 0;
    for (const part of parts) {
        whole.set(part, at);
        at += part.byteLength;
    }
    return whole;
}
