import type { Wishlist } from './wishlist.js';

export type WishlistToast = HTMLElement;

declare global {
  interface HTMLElementTagNameMap {
    'wishlist-toast': WishlistToast;
  }
}

/**
 * Defines the element <wishlist-toast page sign-in sign-in-return>: answers to presses, with undo.
 * Only a page with the element loads what it shows. A second call with the same name does nothing.
 */
export function defineToast(wishlist: Wishlist, name = 'wishlist-toast'): void {
  if (customElements.get(name)) return;

  class Toast extends HTMLElement {
    #leaving: AbortController | undefined;

    connectedCallback() {
      const { signal } = (this.#leaving = new AbortController());
      let works = true;
      const rows = import('./toast.js').then(({ Rows }) => new Rows(this, wishlist, signal));
      rows.catch(() => (works = false));
      for (const type of ['done', 'error', 'toast', 'shopper'] as const) {
        const take = (event: Event) => {
          const { detail } = event as CustomEvent;
          const error = detail?.error;
          // A heart shows a failed press itself, and leads to the sign-in page.
          if (!works || (error && (!detail.retry || error.status === 401))) return;
          event.preventDefault();
          if (error) error['shown'] = true;
          rows.then((rows) => rows[type](detail));
        };
        wishlist.addEventListener(type, take, { signal });
      }
    }

    disconnectedCallback() {
      this.#leaving!.abort();
    }
  }

  customElements.define(name, Toast);
}
