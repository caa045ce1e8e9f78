import type { Item, NewItem, Product, ProductId, State } from './types.js';

export interface Wish {
  saved: boolean;
  /** The product as pressed; for a removal, `variantId` is missing if it applies to all variants. */
  scope: Product;
  product: NewItem;
  done: Promise<Item | undefined>;
}

/** Called with a product's state; `change` is false when it becomes known for the first time. */
export type Watcher = (state: State, change: boolean, product: Product) => void;

interface Shown {
  product: Product;
  told: string;
  watchers: Set<Watcher>;
}

// A space as separator, because ids can't contain one.
export const keyOf = ({ productId, variantId }: Product) => `${productId} ${variantId || ''}`;

/** Returns the last part of a GID (`gid://shopify/Product/1`), and other ids unchanged. */
export const idOf = <I extends ProductId>(id: I): I | string =>
  typeof id === 'string' ? id.replace(/^gid:.*\//, '') : id;

/** Returns whether products meet: one product, and not two different variants. */
const meet = (a: Product, b: Product) =>
  a.productId === b.productId && !(a.variantId && b.variantId && a.variantId !== b.variantId);

/** Returns whether `id` can be the id of a product or variant. */
export const isId = (id: ProductId): boolean =>
  typeof id === 'number' ? Number.isSafeInteger(id) && id > 0 : /^[^\W_][\w.:~=-]{0,99}$/.test(id);

/** Cache of the shopper's known items, and their pending saves and removals (optimistic). */
export class Memory {
  readonly items = new Map<string, Item>();
  /** Products all of whose items are in `items`. */
  readonly known = new Set<ProductId>();
  readonly wishes = new Map<string, Wish>();
  readonly shown = new Map<string, Shown>();
  /** The `clock` at each product's last write. Responses to requests sent before it are stale. */
  readonly written = new Map<ProductId, number>();
  clock = 0;

  constructor(readonly text: boolean) {}

  /**
   * Returns a product or item in normalised form. Ids are text if the page says so, else numbers
   * where possible. Data added by `include` is removed, because comparing items with and without it
   * would show changes.
   */
  alike<P extends Product>(product: P): P {
    const id = (given: ProductId) => {
      const it = idOf(given);
      return this.text ? `${it}` : isId(+it) && `${+it}` === it ? +it : it;
    };
    const { productId, variantId } = product;
    const ids = { productId: id(productId), variantId: variantId && id(variantId) };
    return { ...product, ...ids, ['product']: undefined };
  }

  /** Returns normalised ids: of a variant, or without `variantId` of the product in any variant. */
  scope(product: Product): Product {
    const { productId, variantId } = this.alike(product);
    return { productId, variantId: product.match === 'product' ? undefined : variantId };
  }

  /** Returns the items that a heart stands for: with a variant, also one without a variant. */
  matching(product: Product): Item[] {
    const exact = ({ variantId }: Item) => +(variantId === (product.variantId || undefined));
    const items = [...this.items.values()].filter((item) => meet(item, product));
    return items.sort((a, b) => exact(b) - exact(a));
  }

  state(product: Product): State {
    const items = this.matching(product);
    const wishes = [...this.wishes.values()];
    const own = this.wishes.get(keyOf(product));
    const near = wishes.filter((wish) => meet(wish.saved ? wish.product : wish.scope, product));
    const removed = (item: Item) => wishes.some((wish) => !wish.saved && meet(wish.scope, item));
    const saved = own?.saved ?? (near.some((wish) => wish.saved) || !items.every(removed));
    return { saved, pending: near.length > 0, item: saved ? items[0] : undefined };
  }

  /** Registers the product as shown. With `told`, or if its state is known, it counts as reported. */
  show({ productId, variantId }: Product, told = false): Shown {
    const product = { productId, variantId: variantId || undefined };
    const key = keyOf(product);
    const shown = this.shown.get(key) ?? { product, told: '', watchers: new Set() };
    this.shown.set(key, shown);
    if (told || this.known.has(productId)) shown.told ||= JSON.stringify(this.state(product));
    return shown;
  }

  /** Yields states not reported yet, of one product or of all, and whether each is a change. */
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

  /**
   * Marks all products as stale. Returns the products to look up again: those shown by an element,
   * and others among the last 500.
   */
  refresh(): ProductId[] {
    this.known.clear();
    for (const [key, { watchers }] of [...this.shown].slice(0, -500)) {
      if (!watchers.size) this.shown.delete(key);
    }
    return [...new Set([...this.shown.values()].map(({ product }) => product.productId))];
  }
}
