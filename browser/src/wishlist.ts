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
  /** `text` for a store whose product ids are text; needed where an id may be all digits. */
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

/** The wishlist of whoever is shopping. Raises WishlistError where the service refuses. */
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
    // Absolute, as a page may have a <base> elsewhere; a server that renders the page has none.
    const root = (globalThis.document ? location.origin : '') + this.base;
    this.#service = new Service(root, this.#changed, this.#again, this.#resume);
    this.#memory = new Memory(productIds === 'text');
    this.#questions = new Questions(this.#memory, this.#service, this.#emit, this.#post);
    this.#wishes = new Wishes(this.#questions);
    if (globalThis.document) {
      this.#tellTabs = joinTabs(this.base, this.#hear, this.#again);
      // The page after the sign-in need not have a heart that asks who is shopping.
      if (kept(this.base)) this.refresh().catch(() => {});
    }
  }

  /** Items, by the API's words. */
  readonly items = {
    /** One page, newest first. */
    list: ({ signal, ...query }: ItemOptions = {}): Promise<ItemPage> =>
      this.#questions.read('items', { query, signal }),
    /** All items, page by page as they are taken. */
    all: (options: Omit<ItemOptions, 'page'> = {}): AsyncGenerator<Item, void, undefined> =>
      walk(this.items.list, options),
    /** Saves; saving twice is saving once. */
    create: (body: NewItem, options?: Options): Promise<Item> =>
      this.#write('POST', 'items', { ...options, body }),
    find: async (id: string, options: Options = {}): Promise<Item> =>
      (await this.#questions.read<{ data: Item }>(at`items/${id}`, options)).data,
    update: (id: string, body: ItemPatch, options?: Options): Promise<Item> =>
      this.#write('PATCH', at`items/${id}`, { ...options, body }),
    /** Any number of ids, 100 a request. */
    delete: (ids: string | string[], { signal }: Options = {}): Promise<void> =>
      inTurn(() => this.#wishes.discard([ids].flat(), () => {}, signal), signal),
    /** Exactly these lists from now on. */
    setLists: (id: string, listIds: string[], options?: Options): Promise<Item> =>
      this.#write('PUT', at`items/${id}/lists`, { ...options, body: { listIds } }),
  };

  /** Lists, by the API's words. */
  readonly lists = {
    list: ({ signal, ...query }: PageOptions = {}): Promise<ListPage> =>
      this.#service.send('GET', 'lists', { query, signal }),
    all: (options: Omit<PageOptions, 'page'> = {}): AsyncGenerator<List, void, undefined> =>
      walk(this.lists.list, options),
    /** Not repeated once it may have been received: names need not be unique. */
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
        // Its id goes from the items that are shown.
        this.#again();
      }, options.signal),
    order: (id: string, itemIds: string[], options?: Options): Promise<ListWithItems> =>
      this.#write('PUT', at`lists/${id}/items/order`, { ...options, body: { itemIds } }),
  };

  /**
   * Is it saved? In this variant, or without `variantId` in any. Questions of one frame are one
   * request; answers are kept in memory.
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

  /** Calls at once and at each change, until the function that it returns is called. */
  watch(product: Product, watcher: Watcher): () => void {
    const { product: its, watchers } = this.#memory.show(this.#memory.scope(product));
    watchers.add(watcher);
    watcher(this.#memory.state(its), false, its);
    this.#questions.ask(its.productId).catch((error) => this.#emit('error', { error }));
    return () => watchers.delete(watcher);
  }

  /**
   * Shown as saved at once, then sent; answers with the item, if it was not removed meanwhile. With
   * `match: 'product'`, an item that is saved in another variant gets this one.
   */
  save(product: NewItem & Pick<Product, 'match'>): Promise<Item | undefined> {
    return this.#wishes.wish(product, true);
  }

  /**
   * The shopper has picked this variant: if the product is saved, its item gets it. That is the
   * item without a variant, or else the only one; among several variants none is changed.
   */
  refine({ productId, variantId }: Product): Promise<void> {
    return quiet(
      this.saved(productId).then(async (saved) => {
        if (saved) await this.#wishes.wish({ productId, variantId, match: 'product' }, true);
      }),
    );
  }

  /** Shown as removed at once, then sent; without `variantId` in every variant. */
  remove(product: Product): Promise<void> {
    return quiet(this.#wishes.wish(product, false).then(() => {}));
  }

  /** Saves or removes, by what is shown now; answers with whether it is saved in the end. */
  toggle(product: NewItem | Product): Promise<boolean> {
    const done = this.#wishes.wish(product, !this.state(product).saved);
    return quiet(done.then(() => this.state(product).saved));
  }

  /**
   * Shares a list: with the system's share sheet where there is one, else answers with the link to
   * show. To be called at a press, as browsers ask for one.
   */
  async share(...what: [list: Shareable, options?: ShareOptions]): Promise<Sharing> {
    // A page that shares nothing need not load it.
    return (await import('./share.js')).share(this, ...what);
  }

  /** Asks the API for what has no method here. A write takes its turn, and a POST is not repeated. */
  call<T>(method: string, path: string, options: Options & { body?: object } = {}): Promise<T> {
    const call = { ...options, repeatable: method !== 'POST' };
    const send = () => this.#service.send<T>(method, path, call);
    return method === 'GET' ? send() : inTurn(send, options.signal);
  }

  /** Takes in what `call` has written, and tells hearts, and other tabs. */
  wrote(news: Partial<News>): void {
    this.#questions.takeIn(news);
  }

  /** Asks again for all that is shown. For a shop that signs people in without a new page. */
  async refresh(): Promise<void> {
    const products = this.#memory.refresh();
    // A question that is on its way may have been asked before whatever is the reason for this one.
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

  /** Asks again, if anything was asked yet; if that fails, what is shown stays. */
  readonly #again = () => {
    if (this.#service.shopper) this.refresh().catch(() => {});
  };

  /** What another tab tells. */
  readonly #hear = (news: News) => {
    const was = this.#service.shopper;
    if (news.shopper !== was) {
      this.#again();
      // Of two shoppers, the next answer says which it is.
      if (was && was !== '-') return;
      this.#service.become(news.shopper);
    }
    this.#questions.takeIn(news, true);
  };

  readonly #changed = (was: string) => {
    this.#post({});
    // A visitor who had nothing has begun a session, or signed in: there is nothing to forget.
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
    // What fails is told by the event `error`.
    if (product) this.#wishes.wish(product, true);
  };

  readonly #post = (news: Partial<News>) => {
    this.#tellTabs?.({ ...news, shopper: this.#service.shopper });
  };

  readonly #emit: Emit = (type, detail) => {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  };
}
