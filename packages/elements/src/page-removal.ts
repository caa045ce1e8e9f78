import { nameOf } from './page-card.js';
import type { PageElement } from './page-list.js';
import type { Item } from './types.js';

const SHOWN = 10_000; // ms in which removals share a message, about as long as it is shown

/** Removes items, and offers to undo each removal, including the items' places on lists. */
export class Removals {
  /** The ids on each list in their order, including removed items. */
  readonly #orders = new Map<string, string[]>();
  /** The new ids of items that were removed and restored. */
  readonly #restored = new Map<string, string>();
  readonly #removed = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();
  /** The removals that share a message, and the time of the last one. */
  #shared: { items: Item[]; at: number } = { items: [], at: 0 };

  constructor(readonly page: PageElement) {}

  /** Serialised, so that a later removal knows the places of items that an earlier one removed. */
  #run(work: () => Promise<void>) {
    this.#last = this.#last.then(() => this.page.attempt(work, { key: 'undo' }));
  }

  remove(items: Item[]): void {
    const { page } = this;
    if (!items[0]) return;
    const ids = items.map(({ id }) => id);
    const showAgain = page.without(ids);
    this.#run(async () => {
      for (const list of new Set(items.flatMap(({ listIds }) => listIds))) {
        const known = this.#orders.get(list) ?? [];
        this.#orders.set(list, inserted(await page.idsOf(list), known));
      }
      await page.wishlist.items.delete(ids).catch((error) => {
        showAgain();
        throw error;
      });
      for (const id of ids) this.#removed.add(id);
    });
    const { at, items: before } = this.#shared;
    this.#offer(Date.now() - at < SHOWN ? [...before, ...items] : items);
  }

  /** Shows the removals with their undo. */
  #offer(items: Item[]) {
    const { page } = this;
    this.#shared = { items, at: Date.now() };
    const undo = () => {
      this.#shared.at = 0;
      // A removal that failed has nothing to undo.
      this.#run(() => this.#restore(items.filter(({ id }) => this.#removed.delete(id))));
    };
    const n = items.length;
    const name = nameOf(items.at(-1)!, page);
    const text = n > 1 ? page.say('removedMany', { n }) : page.say('removed', { name });
    const renew = (left: Item[]) => this.#offer(left);
    const message = { key: 'undo', items, saved: false, renew };
    page.toast(text, page.say('undo'), undo, message);
  }

  async #restore(items: Item[]): Promise<void> {
    const { page } = this;
    if (!items[0]) return;
    const lists = new Set(page.lists.map(({ id }) => id));
    const kept = items.map((item) => ({
      ...item,
      listIds: item.listIds.filter((id) => lists.has(id)),
    }));
    const { saveAgain } = await import('./bulk.js');
    const saved = await saveAgain(page.wishlist, kept);
    for (const { id, productId, variantId } of items) {
      const again = saved.find(
        (item) => item.productId === productId && item.variantId === variantId,
      );
      this.#restored.set(id, again!.id);
    }
    const fresh = new Set(saved.map(({ id }) => id));
    for (const list of new Set(items.flatMap(({ listIds }) => listIds))) {
      if (!lists.has(list)) continue;
      const others = (await page.idsOf(list)).filter((id) => !fresh.has(id));
      const known = (this.#orders.get(list) ?? []).map((id) => this.#restored.get(id) ?? id);
      const order = inserted(others, known, fresh);
      const end = order.findLastIndex((id) => fresh.has(id)) + 1;
      await page.wishlist.lists.order(list, order.slice(0, end));
    }
    const n = saved.length;
    const name = nameOf(items[0], page);
    page.toast(n > 1 ? page.say('restored', { n }) : page.say('back', { name }));
  }
}

/** Returns `ids` with those of `known` that are missing, each after the one before it in `known`. */
function inserted(ids: string[], known: string[], only = new Set(known)): string[] {
  for (const [at, id] of known.entries()) {
    if (ids.includes(id) || !only.has(id)) continue;
    const before = known.slice(0, at).findLast((other) => ids.includes(other));
    ids.splice(ids.indexOf(before!) + 1, 0, id);
  }
  return ids;
}
