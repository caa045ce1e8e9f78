/** HMAC-SHA256, and the spellings of bytes: base64url and hex, each in one spelling only. */

const utf8 = new TextEncoder();

/** One secret: signs, and compares signatures in constant time. */
export interface Signer {
  sign(text: string): Promise<Uint8Array>;
  verify(signature: Uint8Array, text: string): Promise<boolean>;
}

/** The signer of a secret. The key is imported at the first use: workers allow nothing before. */
export function signerOf(secret: string): Signer {
  let imported: Promise<CryptoKey> | undefined;
  const key = () =>
    (imported ??= crypto.subtle.importKey(
      "raw",
      utf8.encode(secret),
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["sign", "verify"],
    ));
  return {
    async sign(text) {
      return new Uint8Array(await crypto.subtle.sign("HMAC", await key(), utf8.encode(text)));
    },
    async verify(signature, text) {
      return crypto.subtle.verify("HMAC", await key(), bytes(signature), utf8.encode(text));
    },
  };
}

/** base64url, without padding. */
export function toBase64url(data: Uint8Array): string {
  let text = "";
  for (const byte of data) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bytes of a base64url text, or null when it is not the one spelling that we would write. */
export function fromBase64url(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null;
  const data = bytes(atob(text.replaceAll("-", "+").replaceAll("_", "/")));
  // The last character has bits to spare: several spellings would mean the same bytes.
  return toBase64url(data) === text ? data : null;
}

/** The bytes of a lower-case hex text, or null. */
export function fromHex(text: string): Uint8Array | null {
  if (!/^([0-9a-f]{2})*$/.test(text)) return null;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** The JSON object that a base64url text holds, or null. */
export function objectOf(text: string): Record<string, unknown> | null {
  const data = fromBase64url(text);
  if (data === null) return null;
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(data));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy that WebCrypto and fetch take: never a view of somebody's shared memory. */
export function bytes(source: Uint8Array | string): Uint8Array<ArrayBuffer> {
  return typeof source === "string"
    ? Uint8Array.from(source, (character) => character.charCodeAt(0))
    : new Uint8Array(source);
}
