import { kept } from './kept.js';
import { Memory, type Watcher } from './memory.js';
import { Questions, walk, type Emit } from './questions.js';
import { at, Service, type Call } from './service.js';
import { joinTabs, type News } from './tabs.js';
import { inTurn } from './turns.js';
import type {
  Events,
  Item,
  ItemOptions,
  ItemPage,
  ItemPatch,
  List,
  ListOptions,
  ListPage,
  ListPatch,
  ListWithItems,
  NewItem,
  NewList,
  Options,
  PageOptions,
  Product,
  ProductId,
  Shareable,
  ShareOptions,
  Sharing,
  State,
} from './types.js';
import { quiet, Wishes } from './wishes.js';

export interface WishlistOptions {
  /** The path of the storefront on the shop; `/apps/wishlist` without it. */
  base?: string | undefined;
  /** `text` for a store whose product ids are text; needed only if an id may be all digits. */
  productIds?: 'integer' | 'text' | undefined;
}

export interface Wishlist {
  addEventListener<K extends keyof Events>(
    type: K,
    listener: (event: Events[K]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

/** The shopper's wishlist. Throws WishlistError for a request that failed. */
export class Wishlist extends EventTarget {
  readonly base: string;
  readonly #service: Service;
  readonly #memory: Memory;
  readonly #questions: Questions;
  readonly #wishes: Wishes;
  #tellTabs: ((news: News) => void) | undefined;

  constructor({ base = '/apps/wishlist', productIds }: WishlistOptions = {}) {
    super();
    this.base = base.replace(/\/+$/, '');
    // Absolute, as a page may have another <base>; a server that renders the page has no origin.
    const root = (globalThis.document ? location.origin : '') + this.base;
    this.#service = new Service(root, this.#changed, this.#again, this.#resume);
    this.#memory = new Memory(productIds === 'text');
    this.#questions = new Questions(this.#memory, this.#service, this.#emit, this.#post);
    this.#wishes = new Wishes(this.#questions);
    if (globalThis.document) {
      this.#tellTabs = joinTabs(this.base, this.#hear, this.#again);
      // The page after a sign-in may have no heart that would ask who is shopping.
      if (kept(this.base)) this.refresh().catch(() => {});
    }
  }

  /** The API's operations on items. */
  readonly items = {
    /** One page, newest first. */
    list: ({ signal, ...query }: ItemOptions = {}): Promise<ItemPage> =>
      this.#questions.read('items', { query, signal }),
    /** All items, page by page as they are taken. */
    all: (options: Omit<ItemOptions, 'page'> = {}): AsyncGenerator<Item, void, undefined> =>
      walk(this.items.list, options),
    /** Saving twice is saving once. */
    create: (body: NewItem, options?: Options): Promise<Item> =>
      this.#write('POST', 'items', { ...options, body }),
    find: async (id: string, options: Options = {}): Promise<Item> =>
      (await this.#questions.read<{ data: Item }>(at`items/${id}`, options)).data,
    update: (id: string, body: ItemPatch, options?: Options): Promise<Item> =>
      this.#write('PATCH', at`items/${id}`, { ...options, body }),
    /** Any number of ids, 100 in a request. */
    delete: (ids: string | string[], { signal }: Options = {}): Promise<void> =>
      inTurn(() => this.#wishes.discard([ids].flat(), () => {}, signal), signal),
    /** The item is on exactly these lists from now on. */
    setLists: (id: string, listIds: string[], options?: Options): Promise<Item> =>
      this.#write('PUT', at`items/${id}/lists`, { ...options, body: { listIds } }),
  };

  /** The API's operations on lists. */
  readonly lists = {
    list: ({ signal, ...query }: PageOptions = {}): Promise<ListPage> =>
      this.#service.send('GET', 'lists', { query, signal }),
    all: (options: Omit<PageOptions, 'page'> = {}): AsyncGenerator<List, void, undefined> =>
      walk(this.lists.list, options),
    /** Not retried once it may have been received: names need not be unique. */
    create: (body: NewList, options?: Options): Promise<List> =>
      this.#write('POST', 'lists', { ...options, body, repeatable: false }),
    /** With its items, in the order of `sort`. */
    find: async (id: string, { signal, ...query }: ListOptions = {}): Promise<ListWithItems> =>
      (await this.#questions.read<{ data: ListWithItems }>(at`lists/${id}`, { query, signal }))
        .data,
    update: (id: string, body: ListPatch, options?: Options): Promise<List> =>
      this.#write('PATCH', at`lists/${id}`, { ...options, body }),
    /** Its items stay. */
    delete: (id: string, options: Options = {}): Promise<void> =>
      inTurn(async () => {
        await this.#service.send('DELETE', at`lists/${id}`, options);
        this.#questions.takeIn({ lists: [id] });
        // The items that are shown lose its id.
        this.#again();
      }, options.signal),
    order: (id: string, itemIds: string[], options?: Options): Promise<ListWithItems> =>
      this.#write('PUT', at`lists/${id}/items/order`, { ...options, body: { itemIds } }),
  };

  /**
   * Whether the product is saved: in this variant, or without `variantId` in any. Questions of one
   * frame are one request; answers are kept in memory.
   */
  async saved(productId: ProductId, variantId?: ProductId | null, { signal }: Options = {}) {
    const product = this.#memory.scope({ productId, variantId });
    this.#memory.show(product);
    await this.#questions.ask(product.productId);
    signal?.throwIfAborted();
    return this.#memory.state(product).saved;
  }

  /** What is known now, without asking. */
  state(product: Product): State {
    return this.#memory.state(this.#memory.scope(product));
  }

  /** Calls the watcher at once and at each change, until the function that this returns is called. */
  watch(product: Product, watcher: Watcher): () => void {
    const { product: its, watchers } = this.#memory.show(this.#memory.scope(product));
    watchers.add(watcher);
    watcher(this.#memory.state(its), false, its);
    this.#questions.ask(its.productId).catch((error) => this.#emit('error', { error }));
    return () => watchers.delete(watcher);
  }

  /**
   * Shows it as saved at once, then sends it. Resolves to the item, or to undefined if it was removed
   * meanwhile. With `match: 'product'`, an item that is saved in another variant gets this one.
   */
  save(product: NewItem & Pick<Product, 'match'>): Promise<Item | undefined> {
    return this.#wishes.wish(product, true);
  }

  /**
   * For a variant that the shopper has picked: if the product is saved, its item gets the variant.
   * That is the item without a variant, or else the only item; of several variants none is changed.
   */
  refine({ productId, variantId }: Product): Promise<void> {
    return quiet(
      this.saved(productId).then(async (saved) => {
        if (saved) await this.#wishes.wish({ productId, variantId, match: 'product' }, true);
      }),
    );
  }

  /** Shows it as removed at once, then sends it; without `variantId` in every variant. */
  remove(product: Product): Promise<void> {
    return quiet(this.#wishes.wish(product, false).then(() => {}));
  }

  /** Saves or removes, by what is shown now. Resolves to whether it is saved in the end. */
  toggle(product: NewItem | Product): Promise<boolean> {
    const done = this.#wishes.wish(product, !this.state(product).saved);
    return quiet(done.then(() => this.state(product).saved));
  }

  /**
   * Shares a list with the system's share sheet. If there is none, show the link that it resolves to.
   * Call it at a press: browsers open a share sheet only then.
   */
  async share(list: Shareable, options?: ShareOptions): Promise<Sharing> {
    // Only a page that shares a list loads the module.
    return (await import('./share.js')).share(this, list, options);
  }

  /** Calls an operation of the API that has no method here. A write takes its turn; a POST is not retried. */
  call<T>(method: string, path: string, options: Options & { body?: object } = {}): Promise<T> {
    const call = { ...options, repeatable: method !== 'POST' };
    const send = () => this.#service.send<T>(method, path, call);
    return method === 'GET' ? send() : inTurn(send, options.signal);
  }

  /** Takes in what `call` has written, and tells hearts and other tabs. */
  wrote(news: Partial<News>): void {
    this.#questions.takeIn(news);
  }

  /** Asks again for all that is shown. For a shop that signs people in without a new page. */
  async refresh(): Promise<void> {
    const products = this.#memory.refresh();
    // A question that is on its way may be older than the reason to ask again.
    this.#questions.asking.clear();
    this.#emit('lists', { listIds: [] });
    // With nothing shown, the answer still says who is shopping.
    await (products.length
      ? Promise.all(products.map((id) => this.#questions.ask(id)))
      : this.items.list({ limit: 1 }));
  }

  #write<T extends Item | List>(method: string, path: string, call: Call): Promise<T> {
    return inTurn(async () => {
      const { data } = await this.#service.send<{ data: T }>(method, path, call);
      this.#questions.takeIn('listIds' in data ? { items: [data] } : { lists: [data.id] });
      return data;
    }, call.signal);
  }

  /** Asks again, if anything was asked before. If that fails, hearts stay as they are. */
  readonly #again = () => {
    if (this.#service.shopper) this.refresh().catch(() => {});
  };

  /** Takes in a message of another tab. */
  readonly #hear = (news: News) => {
    const was = this.#service.shopper;
    if (news.shopper !== was) {
      this.#again();
      // The tabs name two shoppers: the next answer says who it is.
      if (was && was !== '-') return;
      this.#service.become(news.shopper);
    }
    this.#questions.takeIn(news, true);
  };

  readonly #changed = (was: string) => {
    this.#post({});
    // A visitor without a session has got one, or has signed in: there is nothing to forget.
    if (was !== '-') {
      this.#memory.forget();
      this.#questions.tell();
      this.#emit('shopper', undefined);
    }
    this.#again();
  };

  /** Saves what a visitor pressed before they signed in. */
  readonly #resume = () => {
    const product = kept(this.base, true);
    // The event `error` tells of a failure.
    if (product) this.#wishes.wish(product, true);
  };

  readonly #post = (news: Partial<News>) => {
    this.#tellTabs?.({ ...news, shopper: this.#service.shopper });
  };

  readonly #emit: Emit = (type, detail) => {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  };
}
