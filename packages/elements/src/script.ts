// The entry point of `<script type="module" src="/apps/wishlist/assets/wishwell.js">`.
import { createWishlist, defineButton, defineCount, defineToast } from './index.js';

export * from './index.js';

// The storefront's base is the folder above /assets/. The URL of a script from another origin
// doesn't contain it.
const { origin, pathname } = new URL('..', import.meta.url);

/** The wishlist of the elements on this page. */
export const wishlist = createWishlist({
  base: origin === location.origin ? pathname : undefined,
  productIds: document.querySelector('script[data-product-ids=text]') ? 'text' : undefined,
});

defineCount(wishlist);
defineToast(wishlist);
defineButton(wishlist);
