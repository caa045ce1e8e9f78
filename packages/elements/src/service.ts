import { WishlistError } from './error.js';
import { request } from './request.js';
import type { Options } from './types.js';

export interface Call extends Options {
  query?: object;
  body?: object;
  repeatable?: boolean;
}

/**
 * The client of the storefront at `root`, which tracks the current shopper by a code in responses.
 * Calls `changed` when the shopper changes, `overtaken` when a response is for the previous
 * shopper, and `somebody` after each response to a shopper who has a session or is signed in.
 */
export class Service {
  /** The last `Wishwell-Shopper` of a response; `era` counts its changes. */
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
      // A GET that was sent before the shopper changed is sent again.
      const who = answer.headers.get('wishwell-shopper');
      if (!this.#meet(who, era) && method === 'GET') continue;
      if (who && who !== '-') this.somebody();
      const { status, headers } = answer;
      let data;
      try {
        data = JSON.parse(answer.text || 'null');
      } catch {
        // Not the API's response, but for example an error page of a proxy.
      }
      // A retried DELETE may be 404 because its first attempt succeeded.
      const done = method === 'DELETE' && status === 404 && answer.tries;
      if ((status > 399 && !done) || data === undefined) {
        throw new WishlistError(`The wishlist returned ${status}.`, status, headers, data);
      }
      return data as T;
    }
  }

  /** Sets the current shopper. */
  become(who: string | undefined) {
    this.shopper = who;
    this.era++;
  }

  /** Compares a response's shopper. Returns false if the request preceded the last change. */
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

/** Template tag: returns a path with an id encoded as one segment. */
export function at(path: TemplateStringsArray, id: string): string {
  return path.raw.join(encodeURIComponent(id));
}

/** Percent-encodes, except `:` and `,`, which are allowed in queries and readable in logs. */
function plain(value: string): string {
  return encodeURIComponent(value).replace(/%3A|%2C/g, decodeURIComponent);
}
