import { createElement, useEffect, type HTMLAttributes, type ReactElement } from 'react';
import { useWishlist } from './context.js';

export interface WishlistShareProps extends HTMLAttributes<HTMLElement> {
  listId: string;
  listName?: string | undefined;
  /** The shop's page for shared lists, with `{token}`. */
  page?: string | undefined;
  /** Whether others may reserve items. */
  reservations?: boolean | undefined;
  /** Whether notes are shared. */
  notes?: boolean | undefined;
}

/** The element <wishlist-share>, rendered in the browser only. Its module is loaded with it. */
export function WishlistShare({
  listId,
  listName,
  page,
  reservations,
  notes,
  className,
  ...rest
}: WishlistShareProps): ReactElement {
  const wishlist = useWishlist();
  useEffect(() => {
    import('@wishwell/browser/share').then(({ defineShare }) => defineShare(wishlist));
  }, [wishlist]);
  return createElement('wishlist-share', {
    ...rest,
    'list-id': listId,
    'list-name': listName,
    page,
    // React 18 supports no boolean attributes on custom elements.
    reservations: reservations ? '' : undefined,
    notes: notes ? '' : undefined,
    class: className,
  });
}
