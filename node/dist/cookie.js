/** The visitor's cookie: a session's GID and when it was set, signed. */
import { Recent } from "./recent.js";
import { fromBase64url, objectOf, toBase64url } from "./signing.js";
const LIFETIME = 90 * 86_400;
const RENEW_AFTER = 86_400;
/** Seconds by which the clock of the machine that set a cookie may be ahead of this one's. */
const AHEAD = 300;
const SESSION = /^gid:\/\/[a-z0-9-]{1,40}\/Session\/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const unusable = { kind: "unusable" };
export function cookiesOf(signers, store, limit = 10_000) {
    // A signature that was good stays good, and is not computed again for every request.
    const verified = new Recent(limit);
    const signed = (payload) => `cookie\n${store}\n${payload}`;
    async function payloadOf(value) {
        const known = verified.get(value);
        if (known !== undefined)
            return known;
        const match = /^([A-Za-z0-9_-]{1,1024})\.([A-Za-z0-9_-]{43})$/.exec(value);
        const [payload, signature] = [match?.[1], fromBase64url(match?.[2] ?? "")];
        if (payload === undefined || signature === null)
            return null;
        for (const signer of signers) {
            if (await signer.verify(signature, signed(payload))) {
                verified.set(value, payload);
                return payload;
            }
        }
        return null;
    }
    return {
        async read(header, secure, now) {
            const values = valuesOf(header, nameOf(secure));
            if (values.length === 0)
                return { kind: "none" };
            const payload = values.length === 1 ? await payloadOf(values[0] ?? "") : null;
            const content = payload === null ? null : objectOf(payload);
            const { s: session, t: since, v: version, ...more } = content ?? {};
            const whole = version === 1 && Number.isInteger(since) && Object.keys(more).length === 0;
            const age = now - Number(since);
            if (!whole || typeof session !== "string" || !SESSION.test(session))
                return unusable;
            if (age > LIFETIME || age < -AHEAD)
                return unusable;
            return { kind: "visitor", session, ageing: age > RENEW_AFTER };
        },
        async set(session, secure, now) {
            const content = JSON.stringify({ s: session, t: now, v: 1 });
            const payload = toBase64url(new TextEncoder().encode(content));
            const [signer] = signers;
            if (signer === undefined)
                throw new Error("no secret");
            const signature = toBase64url(await signer.sign(signed(payload)));
            return attributes(`${payload}.${signature}`, LIFETIME, secure);
        },
        removal(secure) {
            return attributes("", 0, secure);
        },
    };
}
/** Every value of a cookie in a `Cookie` header, as it was sent. */
export function valuesOf(header, name) {
    const pairs = (header ?? "").split(";").map((pair) => pair.trim());
    return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
}
function nameOf(secure) {
    // The prefix makes browsers refuse it from a subdomain, and from http.
    return secure ? "__Host-wishwell" : "wishwell";
}
function attributes(value, age, secure) {
    const pair = `${nameOf(secure)}=${value}`;
    return `${pair}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${age}${secure ? "; Secure" : ""}`;
}
