/** HMAC-SHA256, and the spellings of bytes: base64url and hex, each in one spelling only. */
/** One secret: signs, and compares signatures in constant time. */
export interface Signer {
    sign(text: string): Promise<Uint8Array>;
    verify(signature: Uint8Array, text: string): Promise<boolean>;
}
/** The signer of a secret. The key is imported at the first use: workers allow nothing before. */
export declare function signerOf(secret: string): Signer;
/** base64url, without padding. */
export declare function toBase64url(data: Uint8Array): string;
/** The bytes of a base64url text, or null when it is not the one spelling that we would write. */
export declare function fromBase64url(text: string): Uint8Array | null;
/** The bytes of a lower-case hex text, or null. */
export declare function fromHex(text: string): Uint8Array | null;
/** The JSON object that a base64url text holds, or null. */
export declare function objectOf(text: string): Record<string, unknown> | null;
export declare function isObject(value: unknown): value is Record<string, unknown>;
/** A copy that WebCrypto and fetch take: never a view of somebody's shared memory. */
export declare function bytes(source: Uint8Array | string): Uint8Array<ArrayBuffer>;
