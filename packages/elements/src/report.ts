// Events on `document` for the shop's own code: confirmed saves and removals of this tab.
import type { Answer } from './request.js';
import type { Item, Saved } from './types.js';

export type SavedType = 'wishlist-added' | 'wishlist-removed';

/** Knows the items and names of lists that responses contained, and dispatches the events. */
export class Report {
  /** By id; with their products, if a response has contained them. */
  readonly #items = new Map<string, Item>();
  readonly #names = new Map<string, string>();

  /** `counted` is called with each change of the number of items. */
  constructor(readonly counted: (by: number) => void) {}

  /** Takes a response: to a save, or to a removal of the items it names. Returns an added item's id. */
  confirm(method: string, url: string, sent: string, { status, tries }: Answer, data: any) {
    let id: string | undefined;
    const records: any[] = [data, data?.items].flat().filter(Boolean);
    const [noun] = url.replace(/.*\/api\//, '').split(/[/?]/);
    const ours = noun === 'items';
    for (const { id, name } of records) if (name) this.#names.set(id, name);
    for (const item of records.filter((record) => record.listIds)) {
      const known = this.#items.get(item.id);
      // The response to the first try may have been lost.
      const added = ours && method === 'POST' && (status === 201 || (tries > 0 && !known));
      this.#items.set(item.id, { ['product']: known?.['product'], ...item });
      if (!added) continue;
      id = item.id;
      this.tell('wishlist-added', [item], sent);
    }
    if (!ours || method !== 'DELETE') return id;
    const gone = [...this.#items.values()].filter(({ id }) => (url + sent).includes(id));
    for (const { id } of gone) this.#items.delete(id);
    this.tell('wishlist-removed', gone);
    return id;
  }

  tell(type: SavedType, items: Item[], sent = '') {
    this.counted(type === 'wishlist-added' ? items.length : -items.length);
    for (const item of items) {
      const { productId, variantId, quantity, listIds } = item;
      const { title, price, url } = item['product'] ?? {};
      const wanted = sent && JSON.parse(sent).list;
      const id = listIds.find((id) => this.#names.get(id) === wanted) ?? listIds[0];
      const detail: Saved = {
        productId,
        variantId,
        quantity,
        list: id ? { id, name: this.#names.get(id) ?? wanted } : undefined,
        ['product']: item['product'] && {
          title,
          price: price && +price.amount,
          currency: price?.currency,
          url,
        },
      };
      // Deferred, so that hearts and counts show the change before the shop's code runs.
      setTimeout(() => globalThis.document?.dispatchEvent(new CustomEvent(type, { detail })));
    }
  }
}
