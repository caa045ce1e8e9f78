import { defineToast } from '@wishwell/browser';
import { createElement, useEffect, type HTMLAttributes, type ReactElement } from 'react';
import { useWishlist } from './context.js';

export interface WishlistToastProps extends HTMLAttributes<HTMLElement> {
  /** The wishlist page, for "View". */
  page?: string | undefined;
  /** The shop's sign-in page. With it, a visitor gets a hint to sign in, once. */
  signIn?: string | undefined;
  /** The sign-in page's query parameter for the URL to return to. */
  signInReturn?: string | undefined;
}

/** The element <wishlist-toast>: answers to saves and removals, with undo. Once per page. */
export function WishlistToast({
  page,
  signIn,
  signInReturn,
  className,
  ...rest
}: WishlistToastProps): ReactElement {
  const wishlist = useWishlist();
  useEffect(() => defineToast(wishlist), [wishlist]);
  return createElement('wishlist-toast', {
    ...rest,
    page,
    'sign-in': signIn,
    'sign-in-return': signInReturn,
    class: className,
  });
}
