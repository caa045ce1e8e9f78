import type { Item, NewItem, Product, ProductId, State } from './types.js';

export interface Wish {
  saved: boolean;
  product: NewItem;
  done: Promise<Item | undefined>;
}

/** `change` is false for what is known now and was not known before. */
export type Watcher = (state: State, change: boolean, product: Product) => void;

interface Shown {
  product: Product;
  told: string;
  watchers: Set<Watcher>;
}

// No id has a space.
export const keyOf = ({ productId, variantId }: Product) => `${productId} ${variantId || ''}`;

/** Whether it may be the id of a product or variant of some store. */
export const isId = (id: ProductId): boolean =>
  typeof id === 'number' ? Number.isSafeInteger(id) && id > 0 : /^[^\W_][\w.:~=-]{0,99}$/.test(id);

/** What is known of the shopper, and what they wish for ahead of the answers; in memory only. */
export class Memory {
  readonly items = new Map<string, Item>();
  /** Products of which all items are in `items`. */
  readonly known = new Set<ProductId>();
  readonly wishes = new Map<string, Wish>();
  readonly shown = new Map<string, Shown>();
  /** When each product was last written, by `clock`: an answer from before it is old. */
  readonly written = new Map<ProductId, number>();
  clock = 0;

  constructor(readonly text: boolean) {}

  /** With ids as the store has them: text where that is said, else numbers where they read so. */
  alike<P extends Product>(product: P): P {
    const id = (it: ProductId) => (this.text ? `${it}` : isId(+it) && `${+it}` === it ? +it : it);
    const { productId, variantId } = product;
    return { ...product, productId: id(productId), variantId: variantId && id(variantId) };
  }

  /** What is meant by it, without the rest: one variant, or the product in whatever variant. */
  scope(product: Product): Product {
    const { productId, variantId } = this.alike(product);
    return { productId, variantId: product.match === 'product' ? undefined : variantId };
  }

  matching({ productId, variantId }: Product): Item[] {
    return [...this.items.values()].filter(
      (item) => item.productId === productId && (!variantId || item.variantId === variantId),
    );
  }

  state(product: Product): State {
    const { productId, variantId } = product;
    const { wishes } = this;
    const items = this.matching(product);
    const wish =
      wishes.get(keyOf(product)) ??
      // The removal of a product is of all its variants.
      (variantId && [wishes.get(keyOf({ productId }))].find((wide) => wide?.saved === false));
    const near = wish
      ? [wish]
      : [...wishes.values()].filter((w) => !variantId && w.product.productId === productId);
    const saved = wish
      ? wish.saved
      : near.some((w) => w.saved) || items.some((i) => wishes.get(keyOf(i))?.saved !== false);
    return { saved, pending: near.length > 0, item: saved ? items[0] : undefined };
  }

  /** Remembers that the product is shown; what is known of it now counts as told if so said. */
  show({ productId, variantId }: Product, told = false): Shown {
    const product = { productId, variantId: variantId || undefined };
    const key = keyOf(product);
    const shown = this.shown.get(key) ?? { product, told: '', watchers: new Set() };
    this.shown.set(key, shown);
    if (told || this.known.has(productId)) shown.told ||= JSON.stringify(this.state(product));
    return shown;
  }

  /** What is not told yet, of one product or of all; the last word: whether it is a change. */
  *news(productId?: ProductId): Generator<[Shown, State, boolean]> {
    for (const shown of [...this.shown.values()]) {
      if (productId && shown.product.productId !== productId) continue;
      const state = this.state(shown.product);
      const now = JSON.stringify(state);
      const before = shown.told;
      shown.told = now;
      if (now !== before) yield [shown, state, !!before || state.pending];
    }
  }

  writtenSince(productId: ProductId, since: number): boolean {
    return (this.written.get(productId) ?? 0) > since;
  }

  forget() {
    for (const part of [this.items, this.known, this.wishes]) part.clear();
  }

  /** All are to be asked again: products that are shown, the last 500 if no element shows them. */
  refresh(): ProductId[] {
    this.known.clear();
    for (const [key, { watchers }] of [...this.shown].slice(0, -500)) {
      if (!watchers.size) this.shown.delete(key);
    }
    return [...new Set([...this.shown.values()].map(({ product }) => product.productId))];
  }
}
