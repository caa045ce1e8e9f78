// How many people wish for a product: a separate module, which works without a `Wishlist`.
import { idOf, isId } from './memory.js';
import { WANTED } from './texts/en.js';
import { NUMBER, textsOf, type Say } from './texts/index.js';

const MOST = 250; // products in one request

export type { WishlistWantedAttributes } from './jsx.js';
export type WishlistWanted = HTMLElement;

declare global {
  interface HTMLElementTagNameMap {
    'wishlist-wanted': WishlistWanted;
  }
}

/**
 * Defines the element <wishlist-wanted product-id label lang>, which shows how many people wish for
 * the product, according to the storefront at `base`. It is empty if they are few, if the store
 * doesn't publish counts, or if the storefront is unreachable. A second call with the same name
 * does nothing.
 */
export function defineWanted(base = '/apps/wishlist', name = 'wishlist-wanted'): void {
  if (customElements.get(name)) return;
  /** Elements whose counts are requested together, in the next batch. */
  const asking = new Set<Element>();

  async function ask() {
    const elements = [...asking];
    asking.clear();
    // Sorted, so that the same products have the same URL, and the browser's cache is used.
    const ids = [...new Set(elements.map(({ productId }) => productId))].filter(isId).sort();
    for (let at = 0; at < ids.length; at += MOST) {
      const wishes = await answered(base, ids.slice(at, at + MOST));
      for (const element of elements) element.take(wishes);
    }
  }

  class Element extends HTMLElement {
    static readonly observedAttributes = ['product-id', 'label', 'lang'];

    #wishes = 0;
    #say: Say<keyof typeof WANTED> | undefined;

    get productId(): string {
      return idOf(this.getAttribute('product-id') ?? '');
    }

    connectedCallback() {
      this.#speak();
      this.#ask();
    }

    attributeChangedCallback(attribute: string, was: string | null, now: string | null) {
      if (!this.isConnected || was === now) return;
      if (attribute === 'product-id') this.#ask();
      else this.#speak();
    }

    /** Shows the text in the element's language. */
    #speak() {
      this.#say = textsOf(this, WANTED, () => this.#show(this.#wishes));
      this.#show(this.#wishes);
    }

    take(wishes: Map<string, number>) {
      const mine = wishes.get(this.productId);
      if (mine !== undefined) this.#show(mine);
    }

    #ask() {
      this.#show(0);
      if (!asking.size) queueMicrotask(ask);
      asking.add(this);
    }

    #show(wishes: number) {
      this.#wishes = wishes;
      if (!wishes) return void (this.textContent = '');
      const count = this.#say!(NUMBER, { n: wishes });
      const label = this.getAttribute('label')?.replace('{count}', count);
      this.textContent = label || this.#say!('wanted', { count });
    }
  }

  customElements.define(name, Element);
}

async function answered(base: string, ids: string[]): Promise<Map<string, number>> {
  try {
    const answer = await fetch(`${base.replace(/\/+$/, '')}/api/wishes?products=${ids}`);
    const { data } = await answer.json();
    return new Map(data.map((one: any) => [`${one.productId}`, one.wishes]));
  } catch {
    return new Map(); // the product page is complete without counts
  }
}
