/** The visitor's cookie: a session's GID and when it was set, signed. */
import { type Signer } from "./signing.js";
/** What a request carries: no cookie, one that is nobody's, or a visitor. */
export type Carried = {
    readonly kind: "none";
} | {
    readonly kind: "unusable";
} | {
    readonly kind: "visitor";
    readonly session: string;
    readonly ageing: boolean;
};
/** The cookies of one shop. The first signer signs, all are accepted; `now` in epoch seconds. */
export interface Cookies {
    read(header: string | null, secure: boolean, now: number): Promise<Carried>;
    set(session: string, secure: boolean, now: number): Promise<string>;
    removal(secure: boolean): string;
}
export declare function cookiesOf(signers: readonly Signer[], store: string, limit?: number): Cookies;
/** Every value of a cookie in a `Cookie` header, as it was sent. */
export declare function valuesOf(header: string | null, name: string): string[];
