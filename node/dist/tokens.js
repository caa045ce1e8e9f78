/** Profile tokens: kept for the last shoppers, renewed early, asked for once at a time for each. */
import { Fault, Gone, Refused } from "./errors.js";
import { Recent } from "./recent.js";
import { isObject, objectOf } from "./signing.js";
const RENEW_BEFORE = 300;
/** `limit` is how many shoppers are kept. */
export function tokensOf(request, limit, now, log = () => { }) {
    const kept = new Recent(limit);
    // A browser sends its cookie until it has seen the answer that removes it.
    const linked = new Recent(limit);
    const flights = new Map();
    async function fresh(wanted, requestId) {
        const answer = await request(wanted, requestId);
        if (answer.status >= 400 && answer.status < 500 && ![404, 429].includes(answer.status)) {
            // The admin token, or the platform's name, is not what the store knows.
            log({ event: "refused_by_api", level: "error", requestId, status: answer.status });
        }
        const given = givenBy(answer, wanted, now());
        kept.set(given.profile, given);
        return given;
    }
    function once(key, wanted, requestId) {
        const flying = flights.get(key);
        if (flying !== undefined)
            return flying;
        const flight = fresh(wanted, requestId).finally(() => flights.delete(key));
        flights.set(key, flight);
        return flight;
    }
    return {
        async of(profile, requestId) {
            const one = kept.get(profile);
            const left = one === undefined ? 0 : one.expires - now();
            if (one !== undefined && left > RENEW_BEFORE)
                return one.token;
            const wanted = profile.includes("/Customer/") ? { customer: profile } : { session: profile };
            try {
                return (await once(profile, wanted, requestId)).token;
            }
            catch (error) {
                // It was early: while the API can't renew a token, the old one still holds.
                if (one !== undefined && left > 0 && !(error instanceof Gone))
                    return one.token;
                throw error;
            }
        },
        drop(profile, token) {
            if (kept.get(profile)?.token === token)
                kept.delete(profile);
        },
        async begin(requestId) {
            return (await fresh({}, requestId)).profile;
        },
        async link(customer, session, requestId) {
            if (linked.get(session))
                return;
            try {
                await once(`${customer}\n${session}`, { customer, session }, requestId);
            }
            catch (error) {
                if (!(error instanceof Gone))
                    throw error;
            }
            kept.delete(session);
            linked.set(session, true);
        },
    };
}
function givenBy(answer, wanted, now) {
    if (answer.status === 404 && wanted.session !== undefined)
        throw new Gone();
    if (answer.status === 429 || answer.status >= 500)
        throw new Fault(answer);
    const data = answer.status === 201 ? dataOf(answer.body) : null;
    const { token, profile } = data ?? {};
    if (typeof token !== "string" || typeof profile !== "string") {
        // 400, 401 or 403: the admin token or the platform is set up wrongly, and no shopper's doing.
        throw new Refused(503, "The wishlist gives this shop no token.", { "retry-after": "1" });
    }
    const { exp, iat } = objectOf(token.split(".")[1] ?? "") ?? {};
    // By its own times, whatever this machine's clock says.
    const lives = typeof exp === "number" && typeof iat === "number" ? exp - iat : 86_400;
    return { token, profile, expires: now + lives };
}
function dataOf(body) {
    try {
        const text = typeof body === "string" ? body : new TextDecoder().decode(body ?? undefined);
        const whole = JSON.parse(text);
        return isObject(whole) && isObject(whole["data"]) ? whole["data"] : null;
    }
    catch {
        return null;
    }
}
