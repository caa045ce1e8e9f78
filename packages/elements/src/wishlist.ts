import { Device, LONGEST } from './device.js';
import { kept, SENT, storage } from './kept.js';
import { Memory, type Watcher } from './memory.js';
import { Questions, walk, type Emit } from './questions.js';
import { at, Service, type Call } from './service.js';
import { joinTabs, type News } from './tabs.js';
import { textsOf } from './texts/index.js';
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
  Message,
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

const SOON = 300; // ms that hearts have to send a request of their own

export interface WishlistOptions {
  /** The storefront's path on the shop; by default `/apps/wishlist`. */
  base?: string | undefined;
  /** `text` for a store with text product ids; needed only if an id may consist of digits. */
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

/** The shopper's wishlist. Failed requests throw WishlistError. */
export class Wishlist extends EventTarget {
  readonly base: string;
  readonly #service: Service;
  readonly #memory: Memory;
  readonly #questions: Questions;
  readonly #wishes: Wishes;
  /** Undefined in server-side rendering. */
  #device: Device | undefined;
  /** The shopper that the device knew last. */
  #who: string | undefined;
  #tellTabs: ((news: News) => void) | undefined;
  /** The attribute `signed-in` of <wishlist-count>; undefined without the element. */
  signedIn: string | null | undefined;
  /** Resolves to whether the menu of a heart is open, which answers a save in place of a message. */
  menu: Promise<unknown> | undefined;
  /** Whether a response said that the shop's wishlists are turned off: hearts hide on this page. */
  off = false;

  constructor({ base = '/apps/wishlist', productIds }: WishlistOptions = {}) {
    super();
    this.base = base.replace(/\/+$/, '');
    // Absolute, because a page may have another <base>. Server-side rendering has no origin.
    const root = (globalThis.document ? location.origin : '') + this.base;
    if (globalThis.document) {
      this.#device = new Device(this.base, () => this.#seen());
      this.#tellTabs = joinTabs(this.base, this.#hear, this.#again, () => this.#seen(true));
      this.#who = this.#device.known.who;
      // Deferred, because the requests of hearts identify the shopper too.
      setTimeout(() => this.look(), SOON);
      const sent = storage()?.getItem(SENT);
      if (sent) quiet(import('./left.js').then(({ resume }) => resume(this, sent)));
    }
    this.#service = new Service(root, this.#device, {
      changed: this.#changed,
      again: this.#again,
      met: this.#met,
      off: () => {
        this.off = true;
        this.#seen();
      },
    });
    this.#memory = new Memory(productIds === 'text');
    this.#questions = new Questions(this.#memory, this.#service, this.#emit, this.#post);
    this.#wishes = new Wishes(this.#questions);
  }

  /** Returns an element's texts. For elements of other modules, which needn't contain this. */
  readonly texts = textsOf;

  /** API operations on items. */
  readonly items = {
    /** Returns a page, newest first. */
    list: (options: ItemOptions = {}): Promise<ItemPage> => this.#questions.read('items', options),
    /** Yields all items, loading page after page as needed. */
    all: (options: Omit<ItemOptions, 'page'> = {}): AsyncGenerator<Item, void, undefined> =>
      walk(this.items.list, options),
    /** Idempotent: saving twice is the same as saving once. */
    create: (body: NewItem, options?: Options): Promise<Item> =>
      this.#write('POST', 'items', { ...options, body, include: 'product' } as Call),
    find: async (id: string, options: Options = {}): Promise<Item> =>
      (await this.#questions.read<{ data: Item }>(at`items/${id}`, options)).data,
    update: (id: string, body: ItemPatch, options?: Options): Promise<Item> =>
      this.#write('PATCH', at`items/${id}`, { ...options, body }),
    /** Takes any number of ids; sends up to 100 per request. */
    delete: (ids: string | string[], { signal }: Options = {}): Promise<void> =>
      inTurn(() => this.#wishes.discard([ids].flat(), () => {}, signal), signal),
    /** Sets the lists that the item is on. */
    setLists: (id: string, listIds: string[], options?: Options): Promise<Item> =>
      this.#write('PUT', at`items/${id}/lists`, { ...options, body: { listIds } }),
  };

  /** API operations on lists. */
  readonly lists = {
    list: (options: PageOptions = {}): Promise<ListPage> =>
      this.#service.send('GET', 'lists', options),
    all: (options: Omit<PageOptions, 'page'> = {}): AsyncGenerator<List, void, undefined> =>
      walk(this.lists.list, options),
    /** Not retried if it may have been received, because names needn't be unique. */
    create: (body: NewList, options?: Options): Promise<List> =>
      this.#write('POST', 'lists', { ...options, body, repeatable: false }),
    /** Returns the list with its items, in the order of `sort`. */
    find: async (id: string, options: ListOptions = {}): Promise<ListWithItems> =>
      (await this.#questions.read<{ data: ListWithItems }>(at`lists/${id}`, options)).data,
    update: (id: string, body: ListPatch, options?: Options): Promise<List> =>
      this.#write('PATCH', at`lists/${id}`, { ...options, body }),
    /** Keeps the items. */
    delete: (id: string, options: Options = {}): Promise<void> =>
      inTurn(async () => {
        await this.#service.send('DELETE', at`lists/${id}`, options);
        this.#questions.takeIn({ lists: [id] });
        // The cached items still have the list's id.
        this.#again();
      }, options.signal),
    order: (id: string, itemIds: string[], options?: Options): Promise<ListWithItems> =>
      this.#write('PUT', at`lists/${id}/items/order`, { ...options, body: { itemIds } }),
    /** Leaves exactly these items on the list, at most 1,000, in this order. */
    replaceItems: async (id: string, itemIds: string[], options?: Options) => {
      const path = at`lists/${id}/items`;
      const list = await this.#write<ListWithItems>('PUT', path, { ...options, body: { itemIds } });
      // The cached items of others that joined or left have other lists.
      this.#again();
      return list;
    },
    /** Takes these items off the list, at most 1,000, or all. They stay saved. */
    removeItems: (id: string, itemIds: string[] | 'all', options: Options = {}): Promise<void> =>
      inTurn(async () => {
        const body = itemIds === 'all' ? { all: true } : { itemIds };
        await this.#service.send('DELETE', at`lists/${id}/items`, { ...options, body });
        this.#questions.takeIn({ lists: [id] });
        this.#again();
      }, options.signal),
  };

  /**
   * Returns whether the product is saved: in this variant, or without `variantId` in any. Lookups
   * within a frame are batched into one request; results are cached in memory.
   */
  async saved(productId: ProductId, variantId?: ProductId | null, { signal }: Options = {}) {
    const product = this.#memory.scope({ productId, variantId });
    this.#memory.show(product);
    await this.#questions.ask(product.productId);
    signal?.throwIfAborted();
    return this.#memory.state(product).saved;
  }

  /** Returns the cached state, without a request. */
  state(product: Product): State {
    return this.#memory.state(this.#memory.scope(product));
  }

  /** Calls the watcher immediately and on each change. Returns a function that unsubscribes it. */
  watch(product: Product, watcher: Watcher): () => void {
    const { product: its, watchers } = this.#memory.show(this.#memory.scope(product));
    watchers.add(watcher);
    watcher(this.#memory.state(its), false, its);
    this.#questions.ask(its.productId).catch((error) => this.#emit('error', { error }));
    return () => watchers.delete(watcher);
  }

  /**
   * Shows the product as saved immediately, then sends the save. Resolves to the item, or to
   * undefined if it was removed in the meantime. With `match: 'product'`, an item that is saved in
   * another variant is changed to this one.
   */
  save(product: NewItem & Pick<Product, 'match'>): Promise<Item | undefined> {
    return this.#wishes.wish(product, true);
  }

  /**
   * Applies the variant that the shopper has picked: if the product is saved, changes its item to
   * the variant. Changes the item without a variant, or else the only item; if several variants are
   * saved, none.
   */
  refine({ productId, variantId }: Product): Promise<void> {
    return quiet(
      this.saved(productId).then(async (saved) => {
        if (saved) await this.#wishes.wish({ productId, variantId, match: 'product' }, true, true);
      }),
    );
  }

  /**
   * Shows the product as removed immediately, then sends the removal. Without `variantId`, removes
   * every variant.
   */
  remove(product: Product): Promise<void> {
    return quiet(this.#wishes.wish(product, false).then(() => {}));
  }

  /** Saves or removes the product, depending on its state. Resolves to whether it is saved. */
  toggle(product: NewItem | Product): Promise<boolean> {
    const done = this.#wishes.wish(product, !this.state(product).saved);
    return quiet(done.then(() => this.state(product).saved));
  }

  /**
   * Shares a list by the system's share sheet. If there is none, show the link that it resolves to.
   * Call it in a click handler, because browsers open a share sheet only then.
   */
  async share(list: Shareable, options?: ShareOptions): Promise<Sharing> {
    // Loaded only by pages that share a list.
    return (await import('./share.js')).share(this, list, options);
  }

  /** Calls any API operation. Writes are sent one at a time, and a POST isn't retried. */
  call<T>(method: string, path: string, options: Options & { body?: object } = {}): Promise<T> {
    const call = { ...options, repeatable: method !== 'POST' };
    const reads = method === 'GET';
    const profile = reads && path === 'profile';
    const send = async () => {
      const answer = await this.#service.send<any>(method, path, call);
      if (profile) {
        const { items, purchased = 0, kind } = answer.data;
        this.#device?.set({ n: items - purchased, customer: kind === 'customer', unsure: false });
      }
      return answer;
    };
    // The number of items would be out of date if a write overtook its response.
    return reads && !profile ? send() : inTurn(send, options.signal);
  }

  /** Applies a write made by `call` to the cache, hearts and other tabs; `added`: its new items. */
  wrote(news: Partial<News>, added: Item[] = []): void {
    this.#questions.takeIn(news, false, added);
  }

  /** The number of saved items, as far as it is known; 0 while the wishlists are turned off. */
  get count(): number {
    return this.off ? 0 : (this.#device?.known.n ?? 0);
  }

  /**
   * Asks the page to show a message. Returns false if it has no <wishlist-toast>. A shop with a
   * toast of its own listens to `toast` and calls `preventDefault`.
   */
  toast(detail: Message): boolean {
    return !this.dispatchEvent(new CustomEvent('toast', { cancelable: true, detail }));
  }

  /**
   * Asks who is shopping and how many items they have, if something needs it: a visitor with items
   * may have signed in, a count may lack its number, a sign-in may have been waited for.
   */
  async look(again = false): Promise<void> {
    const device = this.#device!;
    const { signedIn } = this;
    const { who = '-', n, customer, unsure, signedIn: before, at = 0 } = device.known;
    const somebody = who !== '-';
    // The number was requested just now, for the same customer.
    const fresh = Date.now() - at < LONGEST && before === signedIn;
    const identify = somebody && !this.#service.asked && !(customer && signedIn != null && fresh);
    const missing = somebody ? n === undefined || unsure || (customer && !fresh) : !fresh;
    const number = signedIn !== undefined && (somebody || signedIn !== null) && (missing || again);
    // Nothing is stored about visitors who have saved nothing.
    if (!identify && !number && !kept(this.base)) return;
    device.set({ signedIn, at: Date.now() });
    await this.call('GET', 'profile').catch(() => {});
  }

  /** Reloads everything shown. For shops that sign people in without loading a new page. */
  async refresh(): Promise<void> {
    const products = this.#memory.refresh();
    // A lookup in progress may be older than the reason to reload.
    this.#questions.asking.clear();
    this.#emit('lists', { listIds: [] });
    // If nothing is shown, the response still identifies the shopper.
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

  /** Reloads, if anything was loaded before. If that fails, hearts stay as they are. */
  readonly #again = async () => {
    if (this.#service.shopper) await this.refresh().catch(() => {});
  };

  /**
   * Shows what the device knows now. Compares the shopper if it has changed there or the tab was
   * hidden, because the device may lag behind a message of another tab.
   */
  #seen(hidden?: boolean) {
    const { who } = this.#device!.known;
    this.#emit('count', undefined);
    if ((hidden || who !== this.#who) && who && this.#service.shopper) this.#hear({ shopper: who });
    this.#who = who;
  }

  /** Handles a message of another tab. */
  readonly #hear = (news: News) => {
    const was = this.#service.shopper;
    if (news.shopper !== was) {
      // If the tabs disagree about the shopper, the next response decides.
      this.#service.become(news.shopper);
      if (was) this.#leave(was);
    }
    this.#questions.takeIn(news, true);
  };

  readonly #changed = (was: string, first: boolean) => {
    this.#post({});
    if (!first) this.#leave(was);
  };

  /** Drops what is known of the previous shopper, if there was one, and loads again. */
  #leave(was: string) {
    // A visitor without a session got one or signed in, so there is nothing to forget.
    if (was !== '-') {
      this.#memory.forget();
      this.#questions.tell();
      this.#emit('shopper', undefined);
    }
    this.#again();
  }

  /** Saves the product that a visitor pressed before signing in. */
  #resume() {
    const product = kept(this.base, true);
    // A failure is reported by the event `error`.
    if (product) this.#wishes.wish(product, true);
  }

  readonly #met = (who: string, created: boolean) => {
    const device = this.#device;
    if (who !== '-') this.#resume();
    if (!device || (!created && who === (device.known.who ?? '-'))) return;
    // A new session is a visitor's, and had no items.
    device.set({
      who,
      n: created || who === '-' ? 0 : undefined,
      customer: created ? false : undefined,
    });
    // Deferred, because this response may contain the number.
    setTimeout(() => this.look());
  };

  readonly #post = (news: Partial<News>) => {
    this.#tellTabs?.({ ...news, shopper: this.#service.shopper });
  };

  readonly #emit: Emit = (type, detail) => {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  };
}
