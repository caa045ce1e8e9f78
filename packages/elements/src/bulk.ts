// Saving several items at once: to undo removals, or to put a selection on a list. Loaded when needed.
import type { Item, NewItem } from './types.js';
import type { Wishlist } from './wishlist.js';

const MOST = 250; // items in one request

/** What to save of an item that there is or was, and its product, which the response lacks. */
type Saving = NewItem & { id: string; product: Item['product'] | undefined };

/** Saves items in as few requests as possible, the first as the newest. Resolves to what is saved. */
export async function saveAll(wishlist: Wishlist, items: Saving[]): Promise<Item[]> {
  const saved: Item[] = [];
  // The last ones first, because those of a later request are newer.
  for (let end = items.length; end > 0; end -= MOST) {
    const some = items.slice(Math.max(0, end - MOST), end);
    const body = { items: some.map(({ id: _, product: __, ...item }) => item) };
    const answer = await wishlist.call<{ data: Item[] }>('PUT', 'items', { body });
    const data = answer.data.map((item, at) => ({ ...item, product: some[at]!.product }) as Item);
    // An item that is still there keeps its id.
    const added = data.filter(({ id }, at) => id !== some[at]!.id);
    wishlist.wrote({ items: data }, added);
    saved.unshift(...data);
  }
  return saved;
}

/** Saves removed items again. One that was removed twice is saved once, as it was at last. */
export function saveAgain(wishlist: Wishlist, items: Item[]): Promise<Item[]> {
  const byProduct = new Map<string, Saving>();
  for (const {
    id,
    productId,
    variantId = null,
    quantity,
    tags,
    note = null,
    listIds,
    product,
  } of items) {
    const saving = { id, productId, variantId, quantity, tags, note, listIds, product };
    byProduct.set(`${productId} ${variantId}`, saving);
  }
  return saveAll(wishlist, [...byProduct.values()]);
}
