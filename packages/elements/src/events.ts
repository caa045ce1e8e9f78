// The details of `wishlist-added` and `wishlist-removed`. Loaded at the first save or removal.
import type { Item, Saved } from './types.js';

/** Returns an item's list and product. `seen`: lists by id; `sent`: the body that saved the item. */
export function detailsOf(
  { listIds, product }: Item,
  seen: Map<string, any>,
  sent?: { listName?: string },
): Pick<Saved, 'list' | 'product'> {
  const nameOf = (list: string): string | undefined => seen.get(list)?.name;
  const list = listIds.find((list) => nameOf(list) === sent?.listName) ?? listIds[0];
  const { title, price, url } = product ?? {};
  return {
    list: list ? { id: list, name: nameOf(list) ?? sent?.listName } : undefined,
    product: product && {
      title,
      price: price && +price.amount,
      currency: price?.currency,
      url,
    },
  };
}
