import type { List, Share, SharedItem, SharedList } from '@wishwell/browser';
import { sharedList, sharesOf } from '@wishwell/browser/share';
import { useMemo } from 'react';
import { useWishlist } from './context.js';
import { NOTHING, useRead, type Reading } from './records.js';

export interface Shares extends Reading {
  shares: Share[];
}

export interface Shared extends Reading {
  /** Undefined until it was read. */
  list: SharedList | undefined;
  /** With `status` 404 the link is wrong, has expired or was revoked. */
  error: unknown;
  /** Sets how many this shopper gives; rejects with `status` 409 if others were faster. */
  reserve: (itemId: string, quantity?: number) => Promise<SharedItem>;
  release: (itemId: string) => Promise<void>;
  /** Makes a list of the shopper's own with these items. */
  copy: (name?: string) => Promise<List>;
}

/** The links of a list of the shopper's own, newest first; kept current as `useItems` is. */
export function useShares(listId: string): Shares {
  const { data, loading, error } = useRead(
    (wishlist, signal) => sharesOf(wishlist, listId).list({ signal }),
    listId,
    NOTHING as Share[],
  );
  return { shares: data, loading, error };
}

/**
 * Somebody's list, by the token of its link. It is read again after each reservation, and when the
 * shopper changes. Show `reserved` on request only: an owner who is signed out can't be told from
 * others.
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
