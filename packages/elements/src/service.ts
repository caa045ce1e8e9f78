import type { Device } from './device.js';
import { WishlistError } from './error.js';
import { request, type Answer } from './request.js';
import type { Options } from './types.js';

/** Options of a request; those not named here are parameters of its query. */
export interface Call extends Options {
  body?: object | undefined;
  repeatable?: boolean;
}

interface Hooks {
  /** The shopper has changed; `first`: by a write that has created the visitor's session. */
  changed: (was: string, first: boolean) => void;
  /** Loads everything again: after a response for the previous shopper, and to see the next one. */
  again: () => Promise<void>;
  /** A response was for `who`; `created` if its write has created their session. */
  met: (who: string, created: boolean) => void;
  /** The shop's wishlists are turned off. */
  off: () => void;
}

/** The client of the storefront at `root`, which tracks the current shopper by a code in responses. */
export class Service {
  /** The last `Wishwell-Shopper` of a response; `era` counts its changes. */
  shopper: string | undefined;
  era = 0;
  /** Whether a request was sent. */
  asked = false;
  /** Whether the last write has added an item or list, and the body that it sent. */
  added = false;
  sent: any;
  /** The items and lists in responses, by id; items with their product, if one had it. */
  readonly seen = new Map<string, any>();
  /** Whether the browser refuses the visitor's cookie. */
  #blocked = globalThis.navigator?.cookieEnabled === false;

  constructor(
    readonly root: string,
    readonly device: Device | undefined,
    readonly hooks: Hooks,
  ) {}

  async send<T>(method: string, path: string, call: Call): Promise<T> {
    const { body, signal, repeatable = true, ...query } = call;
    const search = Object.entries(query).flatMap(([name, value]) =>
      value === undefined
        ? []
        : // `:` and `,` are allowed in queries, and readable in logs.
          `${name}=${encodeURIComponent(`${value}`).replace(/%3A|%2C/g, decodeURIComponent)}`,
    );
    const target = path + (search.length ? '?' + search.join('&') : '');
    const url = `${this.root}/api/${target}`;
    const write = method !== 'GET';
    for (;;) {
      const { era, device, shopper = '-' } = this;
      const text = body && JSON.stringify(body);
      const { who: known = '-', visitor } = device?.known ?? {};
      // Whether this may create the visitor's session.
      const first = write && !!device && shopper === '-' && known === '-';
      if (first && this.#blocked) throw refused();
      this.asked = true;
      // If the page ends before the response, the next one doesn't trust the number.
      if (write) device?.set({ unsure: true });
      const given = { method, url, body: text, signal, repeatable };
      const answer = await (visitor
        ? import('./visitor.js').then(({ visit }) =>
            visit(given, visitor, request, (visitor) => device!.set({ visitor })),
          )
        : request(given));
      // A GET that was sent before the shopper changed is sent again.
      const who = answer.headers.get('wishwell-shopper');
      if (!this.#meet(who, era, first) && method === 'GET') continue;
      const { status, headers } = answer;
      let data;
      try {
        data = JSON.parse(answer.text || 'null');
      } catch {
        // Not the API's response, but for example an error page of a proxy.
      }
      if (data?.error?.code === 'store_off') this.hooks.off();
      // A retried DELETE may be 404 because its first attempt succeeded.
      const done = method === 'DELETE' && status === 404 && answer.tries;
      if ((status > 399 && !done) || data === undefined) {
        throw new WishlistError(`The wishlist returned ${status}.`, status, headers, data);
      }
      if (data?.visitor) device?.set({ visitor: data.visitor });
      const created = first && !!who && who !== '-';
      if (created) {
        // Another request shows whether the browser has kept the visitor's cookie.
        await this.hooks.again();
        this.#blocked = this.shopper !== who;
        if (this.#blocked) throw refused();
      }
      if (write) device?.set({ unsure: false });
      if (who) this.hooks.met(who, created);
      this.#see(method, body, answer, data?.data);
      return data as T;
    }
  }

  #see(method: string, body: any, { status, tries }: Answer, data: any) {
    const { seen } = this;
    if (method !== 'GET') {
      this.sent = body;
      // The response to the first try may have been lost.
      this.added = method === 'POST' && (status === 201 || (tries > 0 && !seen.has(data?.id)));
    }
    for (const it of [data, data?.items].flat()) {
      if (it?.listIds || it?.name)
        seen.set(it.id, { ['product']: seen.get(it.id)?.['product'], ...it });
    }
  }

  /** Sets the current shopper. */
  become(who: string | undefined) {
    this.shopper = who;
    this.era++;
  }

  /** Compares a response's shopper. Returns false if the request preceded the last change. */
  #meet(who: string | null, era: number, first: boolean): boolean {
    const was = this.shopper;
    if (!who || who === was) return true;
    if (was && era !== this.era) {
      this.hooks.again();
      return false;
    }
    this.become(who);
    if (was) this.hooks.changed(was, first);
    return true;
  }
}

const refused = () =>
  new WishlistError('Cookies blocked.', 0, undefined, { error: { code: 'cookies-blocked' } });

/** Template tag: returns a path with an id encoded as one segment. */
export function at(path: TemplateStringsArray, id: string): string {
  return path.raw.join(encodeURIComponent(id));
}
