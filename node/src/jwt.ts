/** The shop's JWT: HS256 with a shared secret, or RS256 and ES256 with a key set. */

import { Refused } from "./errors.js";
import type { JwtSettings, KeySet } from "./settings.js";
import { bytes, fromBase64url, isObject, objectOf, type Signer, signerOf } from "./signing.js";

const REFETCH_SECONDS = 60;
const STALE_SECONDS = 600;

const ALGORITHMS = {
  RS256: { kty: "RSA", import: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } },
  ES256: { kty: "EC", import: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } },
} as const;

type Algorithm = keyof typeof ALGORITHMS;
type Claims = Record<string, unknown>;

/** The claims of a good token; null of any other. Throws 503 when there are no keys to judge by. */
export type Judge = (token: string, now: number) => Promise<Claims | null>;

export function judgeOf(settings: JwtSettings, timeout: number): Judge {
  const verify = settings.key ? shared(signerOf(settings.key)) : public_(keyRing(settings, timeout));
  return async (token, now) => {
    const [head, payload, signature, ...more] = token.split(".");
    const header = objectOf(head ?? "");
    const claims = objectOf(payload ?? "");
    const signed = fromBase64url(signature ?? "");
    if (header === null || claims === null || signed === null || more.length > 0) return null;
    // `crit` names extensions that must be understood; none is.
    if ("crit" in header || !holds(claims, settings, now)) return null;
    return (await verify(header, signed, `${head}.${payload}`, now)) ? claims : null;
  };
}

function holds(claims: Claims, settings: JwtSettings, now: number): boolean {
  const { exp, nbf, iss, aud } = claims;
  if (typeof exp !== "number" || exp <= now) return false;
  if (nbf !== undefined && (typeof nbf !== "number" || nbf > now)) return false;
  if (settings.issuer && iss !== settings.issuer) return false;
  const audiences = Array.isArray(aud) ? aud : [aud];
  return !settings.audience || audiences.includes(settings.audience);
}

type Verify = (header: Claims, signature: Uint8Array, text: string, now: number) => Promise<boolean>;

function shared(signer: Signer): Verify {
  return async (header, signature, text) =>
    header["alg"] === "HS256" && (await signer.verify(signature, text));
}

function public_(ring: KeyRing): Verify {
  return async (header, signature, text, now) => {
    const { alg, kid } = header;
    if (alg !== "RS256" && alg !== "ES256") return false;
    if (typeof kid !== "string") return false;
    const key = await ring(alg, kid, now);
    if (key === null) return false;
    const algorithm = { name: ALGORITHMS[alg].import.name, hash: "SHA-256" };
    return crypto.subtle.verify(algorithm, key, bytes(signature), bytes(text));
  };
}

type KeyRing = (alg: Algorithm, kid: string, now: number) => Promise<CryptoKey | null>;

function keyRing(settings: JwtSettings, timeout: number): KeyRing {
  const source = settings.jwks;
  let keys: KeySet["keys"] | null = isObject(source) ? (source as unknown as KeySet).keys : null;
  let fetched = keys === null ? 0 : Infinity;
  let flight: Promise<void> | null = null;
  const imported = new Map<object, Promise<CryptoKey>>();

  async function read(now: number): Promise<void> {
    fetched = now;
    try {
      const found = typeof source === "function" ? await source() : await get(String(source), timeout);
      if (!isObject(found) || !Array.isArray(found.keys)) throw new Error("no key set");
      keys = found.keys.filter(isObject);
      imported.clear();
    } catch {
      // The keys that there were go on counting; without any, nobody can be judged.
      if (keys === null) {
        fetched = 0;
        throw new Refused(503, "The shop's keys can't be read.", { "retry-after": "1" });
      }
    }
  }

  const refresh = (now: number) => (flight ??= read(now).finally(() => (flight = null)));

  function choose(alg: Algorithm, kid: string): JsonWebKey | null {
    return (keys ?? []).find((key) => key.kid === kid && fits(key, alg)) ?? null;
  }

  return async (alg, kid, now) => {
    if (keys === null || now - fetched >= STALE_SECONDS) await refresh(now);
    let key = choose(alg, kid);
    if (key === null && now - fetched >= REFETCH_SECONDS) {
      await refresh(now);
      key = choose(alg, kid);
    }
    if (key === null) return null;
    const { kty, n, e, crv, x, y } = key;
    const plain = Object.fromEntries(
      Object.entries({ kty, n, e, crv, x, y }).filter(([, part]) => part !== undefined),
    );
    const known = imported.get(key);
    const ready =
      known ?? crypto.subtle.importKey("jwk", plain, ALGORITHMS[alg].import, false, ["verify"]);
    imported.set(key, ready);
    return ready.catch(() => null);
  };
}

function fits(key: JsonWebKey, alg: Algorithm): boolean {
  const { kty, use, alg: meant, n } = key;
  if (kty !== ALGORITHMS[alg].kty || (use ?? "sig") !== "sig" || (meant ?? alg) !== alg) return false;
  // 2048 bits are 342 characters.
  return alg === "ES256" ? key.crv === "P-256" : typeof n === "string" && n.length >= 342;
}

async function get(url: string, timeout: number): Promise<KeySet> {
  const signal = AbortSignal.timeout(timeout * 1000);
  const response = await fetch(url, { signal, headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return (await response.json()) as KeySet;
}
