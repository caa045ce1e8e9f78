import type { Item, List, ListOptions, Wishlist } from '@wishwell/browser';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useWishlist } from './context.js';

/** State of a request. */
export interface Reading {
  loading: boolean;
  error: unknown;
}

// Always the same array, because effects of the page may depend on it.
export const NOTHING: never[] = [];

export interface ItemsOf extends Pick<ListOptions, 'sort' | 'include'> {
  /** For example `tag:gift` (rule: search-terms). */
  query?: string | undefined;
  /** Maximum number of the newest items, 1 to 250; by default all. */
  limit?: number | undefined;
  /** Id of a list whose items to load, in the order of `sort`; ignores `query` and `limit`. */
  listId?: string | undefined;
}

export interface Items extends Reading {
  items: Item[];
}

export interface Lists extends Reading {
  lists: List[];
}

/**
 * Returns the shopper's items, newest first, or those of a list. Reloads them when something has
 * changed, here or in another tab, and clears them immediately when the shopper changes. After an
 * `error`, returns the last known items.
 */
export function useItems({ query, limit, listId, sort, include }: ItemsOf = {}): Items {
  const read = async ({ items, lists }: Wishlist, signal: AbortSignal) =>
    listId
      ? (await lists.find(listId, { sort, include, signal })).items
      : limit
        ? (await items.list({ query, limit, include, signal })).data
        : collect(items.all({ query, limit: 250, include, signal }));
  const key = JSON.stringify([query, limit, listId, sort, include]);
  const { data, loading, error } = useRead(read, key, NOTHING);
  return { items: data, loading, error };
}

/** Returns the shopper's lists, newest first, without their items. Reloads like `useItems`. */
export function useLists(): Lists {
  const read = ({ lists }: Wishlist, signal: AbortSignal) =>
    collect(lists.all({ limit: 250, signal }));
  const { data, loading, error } = useRead(read, '', NOTHING);
  return { lists: data, loading, error };
}

async function collect<T>(records: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const record of records) all.push(record);
  return all;
}

/**
 * Returns the result of `read`, and `nothing` until then. `key` identifies what `read` loads: when
 * it changes, old data isn't returned. Reloads when the shopper changes, by `again` and, with
 * `follow`, on each change of the wishlist.
 */
export function useRead<T>(
  read: (wishlist: Wishlist, signal: AbortSignal) => Promise<T>,
  key: string,
  nothing: T,
  follow = true,
): Reading & { data: T; again: () => void } {
  const wishlist = useWishlist();
  const none: Reading & { data: T; of: string } = {
    data: nothing,
    loading: true,
    error: undefined,
    of: key,
  };
  const [known, set] = useState(none);
  const load = useRef(() => {});
  const again = useCallback(() => load.current(), []);

  useEffect(() => {
    let controller = new AbortController();
    const reload = (load.current = async () => {
      controller.abort();
      const { signal } = (controller = new AbortController());
      // Deferred, so that several events of one change cause one request.
      await undefined;
      if (signal.aborted) return;
      try {
        const data = await read(wishlist, signal);
        if (!signal.aborted) set({ of: key, data, loading: false, error: undefined });
      } catch (error) {
        if (signal.aborted) return;
        const failed = { of: key, loading: false, error };
        set(({ of, data }) => ({ data: of === key ? data : nothing, ...failed }));
      }
    });
    const ended = new AbortController();
    const { signal } = ended;
    if (follow) {
      wishlist.addEventListener('change', ({ detail }) => detail.pending || reload(), { signal });
      wishlist.addEventListener('lists', reload, { signal });
    }
    wishlist.addEventListener('shopper', () => (set(none), reload()), { signal });
    reload();
    return () => {
      ended.abort();
      controller.abort();
    };
  }, [wishlist, key]);

  const { data, loading, error } = known.of === key ? known : none;
  return { data, loading, error, again };
}
