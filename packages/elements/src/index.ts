import { Wishlist, type WishlistOptions } from './wishlist.js';

export { defineButton, type WishlistButton } from './button.js';
export { defineCount, type WishlistCount } from './count.js';
export { defineToast, type WishlistToast } from './toast-element.js';
export { type ErrorCode, WishlistError } from './error.js';
export type {
  WishlistButtonAttributes,
  WishlistCountAttributes,
  WishlistPageAttributes,
  WishlistShareAttributes,
  WishlistSharedAttributes,
  WishlistToastAttributes,
} from './jsx.js';
export type * from './types.js';
export { Wishlist, type WishlistOptions };

/** Returns the wishlist of the storefront at `base`. Sends no request yet. */
export function createWishlist(options?: WishlistOptions): Wishlist {
  return new Wishlist(options);
}
