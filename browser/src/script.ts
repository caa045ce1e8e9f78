// The module of `<script type="module" src="/apps/wishlist/assets/wishwell.js">`.
import { createWishlist, defineButton } from './index.js';

export * from './index.js';

// The folder above /assets/; the script's URL redirects to one with a hash in the same folder. A
// script from another origin does not say where the storefront is.
const { origin, pathname } = new URL('..', import.meta.url);

/** The wishlist that the elements of this page show. */
export const wishlist = createWishlist({
  base: origin === location.origin ? pathname : undefined,
  productIds: document.querySelector('script[data-product-ids=text]') ? 'text' : undefined,
});

defineButton(wishlist);
