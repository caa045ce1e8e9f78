import { HEART } from './texts/en.js';
import { NUMBER, textsOf, type Say } from './texts/index.js';
import type { Wishlist } from './wishlist.js';

export type WishlistCount = HTMLElement;

declare global {
  interface HTMLElementTagNameMap {
    'wishlist-count': WishlistCount;
  }
}

/**
 * Defines the element <wishlist-count signed-in>: the number of saved items, for the link to the
 * wishlist. A second call with the same name does nothing.
 */
export function defineCount(wishlist: Wishlist, name = 'wishlist-count'): void {
  if (customElements.get(name)) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(':host([empty]){display:none}slot{display:inline-block}');

  class Count extends HTMLElement {
    static readonly observedAttributes = ['signed-in'];

    #say: Say<keyof typeof HEART> | undefined;

    constructor() {
      super();
      const root = this.attachShadow({ mode: 'open' });
      root.adoptedStyleSheets = [sheet];
      const badge = document.createElement('slot');
      badge.part.add('badge');
      root.append(badge);
    }

    connectedCallback() {
      this.#say = textsOf(this, HEART, this.#draw);
      wishlist.signedIn = this.getAttribute('signed-in');
      wishlist.addEventListener('count', this.#draw);
      // The shopper may have signed in or out in another tab.
      addEventListener('focus', this.#focus);
      this.#draw();
    }

    disconnectedCallback() {
      wishlist.removeEventListener('count', this.#draw);
      removeEventListener('focus', this.#focus);
    }

    attributeChangedCallback(_: string, was: string | null, now: string | null) {
      if (!this.#say || was === now) return;
      wishlist.signedIn = now;
      wishlist.look();
    }

    readonly #focus = () => wishlist.look(true);

    readonly #draw = () => {
      const n = wishlist.count;
      this.textContent = this.#say!(NUMBER, { n });
      this.role = 'img';
      this.ariaLabel = this.#say!('savedCount', { n });
      this.toggleAttribute('empty', !n);
    };
  }

  customElements.define(name, Count);
}
