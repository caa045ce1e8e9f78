// What `<script type="module" src="/apps/wishlist/assets/wishwell.js">` does by itself.
import { createWishlist, defineButton } from './index.js';

export * from './index.js';

// The folder above /assets/; the script's URL redirects to one with a hash, beside it. From another
// origin it says nothing of where the storefront is.
const { origin, pathname } = new URL('..', import.meta.url);

/** The wishlist that the elements of this page show. */
export const wishlist = createWishlist({
  base: origin === location.origin ? pathname : undefined,
  productIds: document.querySelector('script[data-product-ids=text]') ? 'text' : undefined,
});

defineButton(wishlist);
