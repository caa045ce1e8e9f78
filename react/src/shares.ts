import type { List, Share, SharedItem, SharedList } from '@wishwell/browser';
import { sharedList, sharesOf } from '@wishwell/browser/share';
import { useMemo } from 'react';
import { useWishlist } from './context.js';
import { useRead } from './records.js';

export interface Shares {
  shares: Share[];
  loading: boolean;
  error: unknown;
}

export interface Shared {
  /** Nothing until it is known. */
  list: SharedList | undefined;
  loading: boolean;
  /** With `status` 404 the link is wrong, has expired or was revoked. */
  error: unknown;
  /** So many in all for this shopper; rejects with `status` 409 if others were faster. */
  reserve: (itemId: string, quantity?: number) => Promise<SharedItem>;
  release: (itemId: string) => Promise<void>;
  /** A new list of the shopper's own with these items. */
  copy: (name?: string) => Promise<List>;
}

const NOTHING: never[] = [];

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
 * Somebody's list, by the token of its link. It is asked for again after each reservation, and when
 * somebody else is shopping. Show `reserved` on request only: signed out, the owner is anybody.
 */
export function useSharedList(token: string): Shared {
  const wishlist = useWishlist();
  const { data, loading, error, again } = useRead<SharedList | undefined>(
    (wishlist, signal) => sharedList(wishlist, token).find({ signal }),
    token,
    undefined,
    false,
  );
  const acts = useMemo(() => {
    const { reserve, release, copy } = sharedList(wishlist, token);
    const then = <T>(work: Promise<T>) => work.finally(again);
    return {
      reserve: (itemId: string, quantity?: number) => then(reserve(itemId, quantity)),
      release: (itemId: string) => then(release(itemId)),
      copy: (name?: string) => copy(name),
    };
  }, [wishlist, token, again]);
  return { list: data, loading, error, ...acts };
}
