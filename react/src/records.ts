import type { Item, List, ListOptions, Wishlist } from '@wishwell/browser';
import { useEffect, useState } from 'react';
import { useWishlist } from './context.js';

interface Records<T> {
  data: T[];
  loading: boolean;
  error: unknown;
}

// One array, as an effect of the page may depend on it.
const NOTHING: Records<never> = { data: [], loading: true, error: undefined };

export interface ItemsOf extends Pick<ListOptions, 'sort'> {
  /** For example `tag:gift` (contract: search-terms). */
  query?: string | undefined;
  /** The newest so many, 1 to 250; all without it. */
  limit?: number | undefined;
  /** All items of this list, in the order of `sort`; `query` and `limit` say nothing then. */
  listId?: string | undefined;
}

export interface Items extends Omit<Records<Item>, 'data'> {
  items: Item[];
}

export interface Lists extends Omit<Records<List>, 'data'> {
  lists: List[];
}

/**
 * The shopper's items, newest first, or those of a list. They are asked for again when something
 * has changed, here or in another tab, and are gone at once when somebody else is shopping. After
 * an `error` the items are the last known.
 */
export function useItems({ query, limit, listId, sort }: ItemsOf = {}): Items {
  const read = async ({ items, lists }: Wishlist, signal: AbortSignal) =>
    listId
      ? (await lists.find(listId, { sort, signal })).items
      : limit
        ? (await items.list({ query, limit, signal })).data
        : collect(items.all({ query, limit: 250, signal }));
  const { data, ...rest } = useRecords(read, JSON.stringify([query, limit, listId, sort]));
  return { items: data, ...rest };
}

/** The shopper's lists, newest first, without their items; kept current as `useItems` is. */
export function useLists(): Lists {
  const read = ({ lists }: Wishlist, signal: AbortSignal) =>
    collect(lists.all({ limit: 250, signal }));
  const { data, ...rest } = useRecords(read, '');
  return { lists: data, ...rest };
}

async function collect<T>(records: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const record of records) all.push(record);
  return all;
}

/** `key` names what `read` reads: of another key, what was read before is not shown. */
function useRecords<T>(
  read: (wishlist: Wishlist, signal: AbortSignal) => Promise<T[]>,
  key: string,
): Records<T> {
  const wishlist = useWishlist();
  const none: Records<T> & { of: string } = { ...NOTHING, of: key };
  const [known, set] = useState(none);

  useEffect(() => {
    let controller = new AbortController();
    const load = async () => {
      controller.abort();
      const { signal } = (controller = new AbortController());
      // Several events of one change are one question.
      await undefined;
      if (signal.aborted) return;
      try {
        const data = await read(wishlist, signal);
        if (!signal.aborted) set({ of: key, data, loading: false, error: undefined });
      } catch (error) {
        const failed = { of: key, loading: false, error };
        if (!signal.aborted)
          set(({ of, data }) => ({ data: of === key ? data : none.data, ...failed }));
      }
    };
    const ended = new AbortController();
    const { signal } = ended;
    wishlist.addEventListener('change', ({ detail }) => detail.pending || load(), { signal });
    wishlist.addEventListener('lists', load, { signal });
    wishlist.addEventListener('shopper', () => (set(none), load()), { signal });
    load();
    return () => {
      ended.abort();
      controller.abort();
    };
  }, [wishlist, key]);

  const { data, loading, error } = known.of === key ? known : none;
  return { data, loading, error };
}
