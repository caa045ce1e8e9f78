import type { List, Share, SharedItem, SharedList } from '@wishwell/browser';
import { sharedList, sharesOf } from '@wishwell/browser/share';
import { useMemo } from 'react';
import { useWishlist } from './context.js';
import { NOTHING, useRead, type Reading } from './records.js';

export interface Shares extends Reading {
  shares: Share[];
}

export interface Shared extends Reading {
  /** Undefined until it is loaded. */
  list: SharedList | undefined;
  /** With `status` 404, the link is wrong, has expired or was revoked. */
  error: unknown;
  /** Sets the quantity that this shopper reserves; rejects with status 409 if too few are left. */
  reserve: (itemId: string, quantity?: number) => Promise<SharedItem>;
  release: (itemId: string) => Promise<void>;
  /** Copies the items to a new list of the shopper's own. */
  copy: (name?: string) => Promise<List>;
}

/** Returns the shares of the shopper's own list, newest first. Reloads like `useItems`. */
export function useShares(listId: string): Shares {
  const { data, loading, error } = useRead(
    (wishlist, signal) => sharesOf(wishlist, listId).list({ signal }),
    listId,
    NOTHING as Share[],
  );
  return { shares: data, loading, error };
}

/**
 * Returns somebody's list, by the token in its link. Reloads it after each reservation, and when
 * the shopper changes. Show `reserved` only on request, because a signed-out owner can't be
 * distinguished from others.
 */
export function useSharedList(token: string): Shared {
  const wishlist = useWishlist();
  const { data, loading, error, again } = useRead<SharedList | undefined>(
    (wishlist, signal) => sharedList(wishlist, token).find({ signal }),
    token,
    undefined,
    false,
  );
  const actions = useMemo(() => {
    const { reserve, release, copy } = sharedList(wishlist, token);
    const thenRead = <T>(work: Promise<T>) => work.finally(again);
    return {
      reserve: (itemId: string, quantity?: number) => thenRead(reserve(itemId, quantity)),
      release: (itemId: string) => thenRead(release(itemId)),
      copy: (name?: string) => copy(name),
    };
  }, [wishlist, token, again]);
  return { list: data, loading, error, ...actions };
}
