/** Settings: given as options, checked once, frozen; every bad one is named. */
import { bad, BadSetting, Gathered } from "./errors.js";
import { isObject } from "./signing.js";
/** The settings of these options. Throws `BadSetting` that names every bad one. */
export function settle(options) {
    const { asset } = options;
    const all = new Gathered();
    const settings = {
        token: all.try(() => adminToken(options.token), ""),
        secrets: all.try(() => secrets(options.secret), []),
        api: all.try(() => api(options.api ?? "http://127.0.0.1:8000"), ""),
        base: all.try(() => base(options.base ?? "/apps/wishlist"), ""),
        store: all.try(() => store(options.store ?? ""), ""),
        platform: all.try(() => platform(options.platform ?? "shopify"), ""),
        origins: all.try(() => list(options.origin ?? []).map(origin), []),
        secure: all.try(() => secure(options.secure ?? "auto"), "auto"),
        timeout: all.try(() => number("timeout", options.timeout ?? 10, 0.1, 600), 0),
        tokens: all.try(() => whole("tokens", options.tokens ?? 10_000, 1, 10_000_000), 0),
        newSessions: all.try(() => whole("newSessions", options.newSessions ?? 60, 0, 1_000_000), 0),
        platformSecret: options.platformSecret || null,
        platformShop: options.platformShop || null,
        jwt: options.jwt ? jwt(options.jwt, all) : null,
        customer: options.customer ?? null,
        asset: typeof asset === "string" ? async () => asset : (asset ?? (async () => null)),
        log: options.log ?? (() => { }),
        fetch: options.fetch ?? ((address, request) => fetch(address, request)),
    };
    if (settings.platformShop !== null && settings.platformSecret === null) {
        all.broken.push({ setting: "platformShop", rule: "needs {platformSecret}", relation: true });
    }
    all.check();
    return Object.freeze(settings);
}
function adminToken(value) {
    if (!value)
        throw missing("token", "must be set: it is the store's admin token");
    if (!/^[!-~]{16,500}$/.test(value))
        throw bad("token", "must be an admin token, without spaces");
    return value;
}
function secrets(value) {
    const all = typeof value === "string" ? value.split(",").map((one) => one.trim()) : (value ?? []);
    if (all.join("") === "")
        throw missing("secret", "must be set: it signs the cookie");
    if (all.some((one) => one.length < 32)) {
        throw bad("secret", "must be secrets of at least 32 characters each");
    }
    return all;
}
function missing(setting, rule) {
    return new BadSetting([{ setting, rule, relation: true }]);
}
function api(value) {
    const url = parsed(value);
    const plain = url && !url.username && !url.password && !url.search && !url.hash;
    if (!plain || !/^https?:$/.test(url.protocol)) {
        throw bad("api", "must be an address such as http://127.0.0.1:8000");
    }
    return url.href.replace(/\/+$/, "");
}
function base(value) {
    if (value === "/")
        return "";
    if (!/^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/.test(value)) {
        throw bad("base", "must be a path such as /apps/wishlist, without a slash at its end");
    }
    return value;
}
function store(value) {
    // A line break would let one store's signatures pass for another's.
    if (/[\x00-\x1f\x7f]/.test(value))
        throw bad("store", "must have no control characters");
    return value;
}
function platform(value) {
    if (!/^[a-z0-9-]{1,40}$/.test(value))
        throw bad("platform", "must be 1 to 40 of a-z 0-9 -");
    return value;
}
function origin(value) {
    const url = parsed(value);
    if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/` || url.username) {
        throw bad("origin", "must be origins such as https://shop.example");
    }
    return url.origin;
}
function secure(value) {
    if (value === "auto" || value === "always" || value === "never")
        return value;
    throw bad("secure", "must be auto, always or never");
}
function jwt(options, all) {
    const { key, jwks } = options;
    const wrong = (setting, rule) => void all.broken.push({ setting, rule });
    const against = (setting, rule) => void all.broken.push({ setting, rule, relation: true });
    if (key && jwks)
        against("jwt.jwks", "and {jwt.key} are both set; keep one");
    if (!key && !jwks) {
        const lone = ["cookie", "header", "issuer", "audience", "claim"].find((n) => options[n]);
        against(lone ? `jwt.${lone}` : "jwt", "needs {jwt.key} or {jwt.jwks}");
    }
    if (key && key.length < 32)
        wrong("jwt.key", "must be at least 32 characters");
    if (typeof jwks === "string" && !/^https?:$/.test(parsed(jwks)?.protocol ?? "")) {
        wrong("jwt.jwks", "must be the address of a key set");
    }
    if (isObject(jwks) && !Array.isArray(jwks["keys"])) {
        wrong("jwt.jwks", "must be a key set: an object with `keys`");
    }
    if ((key || jwks) && !options.cookie && !options.header) {
        against("jwt.cookie", "or {jwt.header} is required with a key");
    }
    for (const place of ["cookie", "header"]) {
        if (options[place] && !/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/.test(options[place])) {
            wrong(`jwt.${place}`, `must be the name of a ${place}`);
        }
    }
    return { ...options, claim: options.claim || "sub" };
}
/** The values of a setting that takes several: an array, or a text with commas. */
export function list(value) {
    const parts = typeof value === "string" ? value.split(",") : [...value];
    return parts.map((part) => part.trim()).filter((part) => part !== "");
}
function parsed(value) {
    return URL.canParse(value) ? new URL(value) : null;
}
function number(name, value, least, most) {
    if (!(value >= least && value <= most)) {
        throw bad(name, `must be a number from ${least} to ${most}`);
    }
    return value;
}
function whole(name, value, least, most) {
    if (!Number.isInteger(value)) {
        throw bad(name, `must be a whole number from ${least} to ${most}`);
    }
    return number(name, value, least, most);
}
