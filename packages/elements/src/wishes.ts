import { WishlistError } from './error.js';
import { keep, SENT, storage } from './kept.js';
import { keyOf, type Wish } from './memory.js';
import { chunks, type Questions } from './questions.js';
import { at, type Call } from './service.js';
import { inTurn } from './turns.js';
import type { Item, NewItem, Product } from './types.js';

/** Optimistic saves and removals: shown immediately, sent one at a time, undone on failure. */
export class Wishes {
  constructor(readonly questions: Questions) {}

  async #post(body: NewItem): Promise<Item> {
    const call = { body, include: 'product' };
    return (await this.questions.service.send<{ data: Item }>('POST', 'items', call)).data;
  }

  async discard(ids: string[], done: () => void, signal?: AbortSignal) {
    for (const gone of chunks(ids)) {
      // In the query, because some intermediaries drop the body of a DELETE.
      await this.questions.service.send('DELETE', 'items', { itemIds: gone, signal } as Call);
      done();
      this.questions.takeIn({ gone });
    }
  }

  /** `silent`: the page needn't answer, because nobody has pressed. */
  wish(given: NewItem | Product, saved: boolean, silent = false): Promise<Item | undefined> {
    const { memory } = this.questions;
    const { wishes } = memory;
    // Loads while the write is sent, so that its event needn't wait.
    quiet(import('./events.js'));
    const { match, ...product } = memory.alike(given as NewItem & Product);
    const scope = memory.scope(given);
    const key = keyOf(scope);
    memory.show(scope);
    // Its event follows on the next page if this one is left before the answer.
    if (!silent) keep(SENT, JSON.stringify([saved, scope, Date.now()]));
    let wish = wishes.get(key);
    if (wish) {
      wish.saved = saved;
      wish.product = { ...wish.product, ...product };
    } else {
      wish = { saved, scope, product } as Wish;
      wishes.set(key, wish);
      wish.done = quiet(this.#fulfil(scope, wish, silent));
    }
    this.questions.tell(product.productId);
    return wish.done;
  }

  /** Sends the wish, and sends it again if it was changed in the meantime: the last press wins. */
  async #fulfil(scope: Product, wish: Wish, silent: boolean): Promise<Item | undefined> {
    const { questions } = this;
    const { memory } = questions;
    const { productId } = scope;
    const key = keyOf(scope);
    let item: Item | undefined, sent: NewItem;
    try {
      do {
        sent = await inTurn(async () => {
          if (memory.wishes.get(key) !== wish) throw new WishlistError('The shopper has changed.');
          const { saved, product } = wish;
          // Every press creates a new `product`, so identity shows whether the wish has changed.
          const settled = () => {
            if (wish.product === product && memory.wishes.get(key) === wish)
              memory.wishes.delete(key);
          };
          const take = (saved: Item) => {
            item = saved;
            settled();
            questions.takeIn({ items: [item] });
          };
          const done = (items: Item[], isNew: boolean) => {
            if (!silent) questions.emit('done', { saved, items, isNew });
          };
          // Pressed before the first lookup, so the product may be saved already. Saving a variant
          // is idempotent, and only waits for a lookup in progress.
          if (!memory.known.has(productId)) {
            const asking = questions.asking.get(productId)?.catch(() => {});
            await (saved && scope.variantId ? asking : questions.lookUp([productId]));
          }
          const items = memory.matching(scope);
          item = undefined;
          if (!saved) {
            const ids = items.map(({ id }) => id);
            const removed = items.map((it) => questions.service.seen.get(it.id) ?? it);
            await this.discard(ids, settled);
            done(removed, false);
          } else {
            const { variantId, quantity, tags, listIds, listName } = product;
            item = items.find((it) => !variantId || it.variantId === variantId);
            const other = items.find((it) => !it.variantId) ?? items[0];
            // If several variants are saved, none is changed, because each was saved on purpose.
            if (!item && other && !(other.variantId && items[1])) {
              try {
                const call = { body: { variantId } };
                const path = at`items/${other.id}`;
                take((await questions.service.send<{ data: Item }>('PATCH', path, call)).data);
              } catch (error) {
                // Another device removed the item or saved the variant: keep and show that.
                if (!/40[49]/.test(`${(error as WishlistError).status}`)) throw error;
                await questions.lookUp([productId]);
                [item] = memory.matching(product);
              }
            }
            if (!other || quantity || tags || listIds || listName || 'note' in product) {
              const saved = await this.#post(product);
              take(saved);
              done([saved], questions.service.added);
            }
          }
          settled();
          return product;
        });
      } while (sent !== wish.product);
      return item;
    } catch (error) {
      const { code } = error as WishlistError;
      if (memory.wishes.get(key) === wish || code === 'cookies-blocked') {
        memory.wishes.delete(key);
        // The service may still have received it, so the product is looked up again next time.
        memory.known.delete(productId);
        questions.tell(productId);
        const { saved, product } = wish;
        const retry = () => this.wish(product, saved);
        questions.emit('error', { error, code, ...scope, saved: memory.state(scope).saved, retry });
      }
      throw error;
    } finally {
      storage()?.removeItem(SENT);
      questions.tell(productId);
    }
  }
}

/** Prevents an unhandled rejection, because callers that don't await it have the event `error`. */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
