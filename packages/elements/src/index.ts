import { Wishlist, type WishlistOptions } from './wishlist.js';

export { defineButton, type WishlistButton } from './button.js';
export { type ErrorCode, WishlistError } from './error.js';
export type {
  WishlistButtonAttributes,
  WishlistPageAttributes,
  WishlistShareAttributes,
  WishlistSharedAttributes,
} from './jsx.js';
export type * from './types.js';
export { Wishlist, type WishlistOptions };

/** Returns the wishlist of the storefront at `base`. Sends no request yet. */
export function createWishlist(options?: WishlistOptions): Wishlist {
  return new Wishlist(options);
}
