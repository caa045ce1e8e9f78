import { WishlistError } from './error.js';
import { request } from './request.js';
import type { Options } from './types.js';

export interface Call extends Options {
  query?: object;
  body?: object;
  repeatable?: boolean;
}

/**
 * The storefront at `root`, and who it says is shopping. It calls `changed` when somebody else is,
 * `overtaken` when a read was answered for whoever was before, `somebody` when it is not nobody.
 */
export class Service {
  /** The answers' `Wishwell-Shopper`, and how often it has changed. */
  shopper: string | undefined;
  era = 0;

  constructor(
    readonly root: string,
    readonly changed: (was: string) => void,
    readonly overtaken: () => void,
    readonly somebody: () => void,
  ) {}

  async send<T>(method: string, path: string, call: Call): Promise<T> {
    const { query = {}, body, signal, repeatable = true } = call;
    const search = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : `${name}=${plain(value)}`,
    );
    const url = `${this.root}/api/${path}` + (search.length ? '?' + search.join('&') : '');
    for (;;) {
      const era = this.era;
      const text = body && JSON.stringify(body);
      const answer = await request({ method, url, body: text, signal, repeatable });
      // A read that somebody's change has overtaken says nothing any more.
      const who = answer.headers.get('wishwell-shopper');
      if (!this.#meet(who, era) && method === 'GET') continue;
      if (who && who !== '-') this.somebody();
      const { status, headers } = answer;
      let data;
      try {
        data = JSON.parse(answer.text || 'null');
      } catch {
        // Not of the API: a page of something between.
      }
      // A DELETE that was repeated may find that its first try has done it.
      const done = method === 'DELETE' && status === 404 && answer.tries;
      if ((status > 399 && !done) || data === undefined) {
        throw new WishlistError(`The wishlist answered ${status}.`, status, headers, data);
      }
      return data as T;
    }
  }

  /** From now on, answers are of this shopper. */
  become(who: string | undefined) {
    this.shopper = who;
    this.era++;
  }

  /** Notes whose answer it is; false when it was asked before the shopper's last change. */
  #meet(who: string | null, era: number): boolean {
    const was = this.shopper;
    if (!who || who === was) return true;
    if (was && era !== this.era) {
      this.overtaken();
      return false;
    }
    this.become(who);
    if (was) this.changed(was);
    return true;
  }
}

/** The path with its ids as one segment each. */
export function at(path: TemplateStringsArray, id: string): string {
  return path.raw.join(encodeURIComponent(id));
}

/** Percent-encoded, but for what is plain in a query and good to read in a log. */
function plain(value: unknown): string {
  return encodeURIComponent(String(value)).replace(/%3A|%2C/g, decodeURIComponent);
}
