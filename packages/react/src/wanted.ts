import { createElement, useEffect, type HTMLAttributes, type ReactElement } from 'react';
import { useWishlist } from './context.js';

export interface WishlistWantedProps extends HTMLAttributes<HTMLElement> {
  productId: string | number;
  /** The text, which contains `{count}`. */
  label?: string | undefined;
}

/** The element <wishlist-wanted>, rendered in the browser only. */
export function WishlistWanted({
  productId,
  className,
  ...rest
}: WishlistWantedProps): ReactElement {
  const { base } = useWishlist();
  useEffect(() => {
    import('@wishwell/browser/wanted').then(({ defineWanted }) => defineWanted(base));
  }, [base]);
  return createElement('wishlist-wanted', { ...rest, 'product-id': productId, class: className });
}
