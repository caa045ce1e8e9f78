// The pages: a separate module, loaded only by a shop's wishlist page and shared page.
import { PageElement } from './page-list.js';
import { SharedElement } from './page-shared.js';
import type { Item, SharedItem } from './types.js';
import type { Wishlist } from './wishlist.js';

export type { Texts } from './texts/en.js';
/** An item for which "Add to cart" was pressed, with its product data if known. */
export type CartItem = Item | SharedItem;
export type WishlistPage = HTMLElement;
export type WishlistShared = HTMLElement;

declare global {
  interface HTMLElementTagNameMap {
    'wishlist-page': WishlistPage;
    'wishlist-shared': WishlistShared;
  }
  interface GlobalEventHandlersEventMap {
    /** `item` is undefined for "Add all to cart". */
    'wishlist-cart': CustomEvent<{ item?: CartItem; items: CartItem[] }>;
  }
}

/**
 * Defines the element <wishlist-page list cart cart-url product-url shared-page shop-url sign-in
 * sign-in-return texts locale lang>, which shows this wishlist and its lists. A second call with the same name does nothing.
 */
export function definePage(wishlist: Wishlist, name = 'wishlist-page'): void {
  if (customElements.get(name)) return;
  customElements.define(
    name,
    class extends PageElement {
      readonly wishlist = wishlist;
    },
  );
}

/**
 * Defines the element <wishlist-shared token cart cart-url product-url own-page shop-url texts locale
 * lang>, which shows somebody's shared list. A second call with the same name does nothing.
 */
export function defineShared(wishlist: Wishlist, name = 'wishlist-shared'): void {
  if (customElements.get(name)) return;
  customElements.define(
    name,
    class extends SharedElement {
      readonly wishlist = wishlist;
    },
  );
}
