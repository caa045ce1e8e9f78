// Events on `document` for the shop's own code: confirmed saves and removals of this tab.
import type { Device } from './device.js';
import type { Answer } from './request.js';
import type { Item, Saved } from './types.js';

/** Knows the items and names of lists that responses contained, and dispatches the events. */
export class Report {
  /** By id; with their products, if a response has contained them. */
  readonly #items = new Map<string, Item>();
  readonly #names = new Map<string, string>();

  constructor(readonly device: Device | undefined) {}

  /** Takes a response: to a save, or to a removal of the items it names. Returns an added item's id. */
  confirm(method: string, path: string, sent = '', { status, tries }: Answer, data: any) {
    let added: string | undefined;
    const ours = /^items\b/.test(path);
    for (const item of [data, data?.items].flat()) {
      if (item?.name) this.#names.set(item.id, item.name);
      if (!item?.listIds) continue;
      const known = this.#items.get(item.id);
      this.#items.set(item.id, { ['product']: known?.['product'], ...item });
      // The response to the first try may have been lost.
      if (!ours || method !== 'POST' || (status !== 201 && (!tries || known))) continue;
      added = item.id;
      this.tell(item, true, sent);
    }
    for (const [id, item] of this.#items) {
      if (!ours || method !== 'DELETE' || !(path + sent).includes(id)) continue;
      this.#items.delete(id);
      this.tell(item);
    }
    return added;
  }

  /** Counts an item that was added or removed, and dispatches its event. */
  tell(item: Item, added = false, sent = '{}') {
    const { productId, variantId, quantity, listIds, ['product']: its } = item;
    const { title, price, url } = its ?? {};
    const { n } = this.device?.known ?? {};
    // Items that were bought aren't counted.
    if (n !== undefined && !item['purchased']) this.device!.set({ n: added ? n + 1 : n - 1 });
    const { listName } = JSON.parse(sent);
    const id = listIds.find((id) => this.#names.get(id) === listName) ?? listIds[0];
    const detail: Saved = {
      productId,
      variantId,
      quantity,
      list: id ? { id, name: this.#names.get(id) ?? listName } : undefined,
      ['product']: its && { title, price: price && +price.amount, currency: price?.currency, url },
    };
    const type = added ? 'wishlist-added' : 'wishlist-removed';
    // Deferred, so that hearts and counts show the change before the shop's code runs.
    setTimeout(() => globalThis.document?.dispatchEvent(new CustomEvent(type, { detail })));
  }
}
