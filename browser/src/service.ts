import { WishlistError } from './error.js';
import { request } from './request.js';
import type { Options } from './types.js';

export interface Call extends Options {
  query?: object;
  body?: object;
  repeatable?: boolean;
}

/**
 * The storefront at `root`, and the code of its shopper. Calls `changed` when the shopper changes,
 * `overtaken` when a read was answered for the shopper before, `somebody` after each answer to a
 * shopper who has a session or is signed in.
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
      value === undefined ? [] : `${name}=${plain(value as string)}`,
    );
    const url = `${this.root}/api/${path}` + (search.length ? '?' + search.join('&') : '');
    for (;;) {
      const era = this.era;
      const text = body && JSON.stringify(body);
      const answer = await request({ method, url, body: text, signal, repeatable });
      // A read that was asked before the shopper changed is asked again.
      const who = answer.headers.get('wishwell-shopper');
      if (!this.#meet(who, era) && method === 'GET') continue;
      if (who && who !== '-') this.somebody();
      const { status, headers } = answer;
      let data;
      try {
        data = JSON.parse(answer.text || 'null');
      } catch {
        // Not the API's, but a page of a server in between.
      }
      // A repeated DELETE may find nothing, as its first try has done it.
      const done = method === 'DELETE' && status === 404 && answer.tries;
      if ((status > 399 && !done) || data === undefined) {
        throw new WishlistError(`The wishlist answered ${status}.`, status, headers, data);
      }
      return data as T;
    }
  }

  /** From now on, answers are for this shopper. */
  become(who: string | undefined) {
    this.shopper = who;
    this.era++;
  }

  /** Notes the answer's shopper; false when it was asked before the last change of shopper. */
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

/** A path with an id in it, encoded to be one segment. */
export function at(path: TemplateStringsArray, id: string): string {
  return path.raw.join(encodeURIComponent(id));
}

/** Percent-encoded, except for `:` and `,`, which a query may have and a log shows better. */
function plain(value: string): string {
  return encodeURIComponent(value).replace(/%3A|%2C/g, decodeURIComponent);
}
