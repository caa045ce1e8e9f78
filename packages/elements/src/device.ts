// What this device remembers of its shopper between pages, in localStorage.

import type { Visitor } from './visitor.js';

/** ms after which a customer's number is requested again: other devices may have changed it. */
export const LONGEST = 60_000;

export interface Known {
  /** The `Wishwell-Shopper` of the last response; `-` for nobody. */
  who?: string | undefined;
  /** The number of items; undefined if it isn't known. */
  n?: number | undefined;
  /** Whether the shopper is known to be a customer, so that there is nothing to merge. */
  customer?: boolean | undefined;
  /** The attribute `signed-in` when the number was requested. */
  signedIn?: string | null | undefined;
  /** The time when the number was last requested. */
  at?: number | undefined;
  /** Whether a write was sent whose response the page may have missed. */
  unsure?: boolean | undefined;
  /** The visitor's key, where the platform removes cookies. */
  visitor?: Visitor | undefined;
  /** Whether the hint to sign in was shown. */
  hinted?: boolean | undefined;
}

export class Device {
  readonly #key: string;
  #known: Known = {};

  /** `changed` is called when the number has changed, here or in another tab. */
  constructor(
    base: string,
    readonly changed: () => void,
  ) {
    this.#key = `wishwell:${base}`;
    addEventListener('storage', ({ key }) => key === this.#key && changed());
  }

  get known(): Known {
    try {
      return JSON.parse(localStorage[this.#key] ?? '{}');
    } catch {
      return this.#known; // storage is blocked: this page remembers
    }
  }

  set(news: Known) {
    const { n } = this.known;
    this.#known = { ...this.known, ...news };
    try {
      localStorage[this.#key] = JSON.stringify(this.#known);
    } catch {}
    if (this.#known.n !== n) this.changed();
  }
}
