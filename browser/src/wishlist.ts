import { WishlistError } from './error.js';
import { kept } from './kept.js';
import { isId, keyOf, Memory, type Watcher, type Wish } from './memory.js';
import { request } from './request.js';
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
  State,
} from './types.js';

const GATHER = 16; // ms, about a frame, in which questions become one request
const CHUNK = 100; // ids in one URL, or as many as fit into so many characters, so that it stays
const LONGEST = 4_000; // far below what servers take
const AWAY = 60_000; // ms in the background after which all is asked again

interface Call extends Options {
  query?: object;
  body?: object;
  repeatable?: boolean;
}

interface News {
  shopper: string | undefined;
  items?: Item[];
  gone?: string[];
  lists?: string[];
}

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
  #root: string;
  readonly #memory: Memory;
  #channel: BroadcastChannel | undefined;
  /** The answers' `Wishwell-Shopper`, and how often it has changed. */
  #shopper: string | undefined;
  #era = 0;
  /** By the kind of their ids: where the store has numbers, a text is the end of its request. */
  readonly #batches: Record<string, Promise<void>> = {};
  readonly #queue = new Set<ProductId>();
  readonly #asking = new Map<ProductId, Promise<void>>();
  #hidden = Date.now();

  constructor({ base = '/apps/wishlist', productIds }: WishlistOptions = {}) {
    super();
    this.#memory = new Memory(productIds === 'text');
    this.base = this.#root = base.replace(/\/+$/, '');
    // Neither where a server renders the page.
    if (globalThis.document) {
      // Absolute, as a page may have a <base> elsewhere.
      this.#root = location.origin + this.base;
      this.#open();
      this.#listen();
      // The page after the sign-in need not have a heart that asks who is shopping.
      if (kept(this.base)) this.refresh().catch(() => {});
    }
  }

  /** Items, by the API's words. */
  readonly items = {
    /** One page, newest first. */
    list: ({ signal, ...query }: ItemOptions = {}): Promise<ItemPage> =>
      this.#read('items', { query, signal }),
    /** All items, page by page as they are taken. */
    all: (options: Omit<ItemOptions, 'page'> = {}): AsyncGenerator<Item, void, undefined> =>
      walk(this.items.list, options),
    /** Saves; saving twice is saving once. */
    create: (body: NewItem, options?: Options): Promise<Item> =>
      this.#write('POST', 'items', { ...options, body }),
    find: async (id: string, options: Options = {}): Promise<Item> =>
      (await this.#read<{ data: Item }>(at`items/${id}`, options)).data,
    update: (id: string, body: ItemPatch, options?: Options): Promise<Item> =>
      this.#write('PATCH', at`items/${id}`, { ...options, body }),
    /** Any number of ids, 100 a request. */
    delete: (ids: string | string[], { signal }: Options = {}): Promise<void> =>
      inTurn(() => this.#delete([ids].flat(), () => {}, signal), signal),
    /** Exactly these lists from now on. */
    setLists: (id: string, listIds: string[], options?: Options): Promise<Item> =>
      this.#write('PUT', at`items/${id}/lists`, { ...options, body: { listIds } }),
  };

  /** Lists, by the API's words. */
  readonly lists = {
    list: ({ signal, ...query }: PageOptions = {}): Promise<ListPage> =>
      this.#send('GET', 'lists', { query, signal }),
    all: (options: Omit<PageOptions, 'page'> = {}): AsyncGenerator<List, void, undefined> =>
      walk(this.lists.list, options),
    /** Not repeated once it may have been received: names need not be unique. */
    create: (body: NewList, options?: Options): Promise<List> =>
      this.#write('POST', 'lists', { ...options, body, repeatable: false }),
    /** With its items, in the order of `sort`. */
    find: async (id: string, { signal, ...query }: ListOptions = {}): Promise<ListWithItems> =>
      (await this.#read<{ data: ListWithItems }>(at`lists/${id}`, { query, signal })).data,
    update: (id: string, body: ListPatch, options?: Options): Promise<List> =>
      this.#write('PATCH', at`lists/${id}`, { ...options, body }),
    /** Its items stay. */
    delete: (id: string, options: Options = {}): Promise<void> =>
      inTurn(async () => {
        await this.#send('DELETE', at`lists/${id}`, options);
        this.#apply({ lists: [id] });
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
    await this.#ask(product.productId);
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
    this.#ask(its.productId).catch((error) => this.#emit('error', { error }));
    return () => watchers.delete(watcher);
  }

  /**
   * Shown as saved at once, then sent; answers with the item, if it was not removed meanwhile. With
   * `match: 'product'`, an item that is saved in another variant gets this one.
   */
  save(product: NewItem & Pick<Product, 'match'>): Promise<Item | undefined> {
    return this.#wish(product, true);
  }

  /**
   * The shopper has picked this variant: if the product is saved, its item gets it. That is the
   * item without a variant, or else the only one; among several variants none is changed.
   */
  refine({ productId, variantId }: Product): Promise<void> {
    return quiet(
      this.saved(productId).then(async (saved) => {
        if (saved) await this.#wish({ productId, variantId, match: 'product' }, true);
      }),
    );
  }

  /** Shown as removed at once, then sent; without `variantId` in every variant. */
  remove(product: Product): Promise<void> {
    return quiet(this.#wish(product, false).then(() => {}));
  }

  /** Saves or removes, by what is shown now; answers with whether it is saved in the end. */
  toggle(product: NewItem | Product): Promise<boolean> {
    const done = this.#wish(product, !this.state(product).saved);
    return quiet(done.then(() => this.state(product).saved));
  }

  /** Asks again for all that is shown. For a shop that signs people in without a new page. */
  async refresh(): Promise<void> {
    const products = this.#memory.refresh();
    // A question that is on its way may have been asked before whatever is the reason for this one.
    this.#asking.clear();
    this.#emit('lists', { listIds: [] });
    // With nothing shown, the answer still says who is shopping.
    await (products.length
      ? Promise.all(products.map((id) => this.#ask(id)))
      : this.items.list({ limit: 1 }));
  }

  // ------------------------------------------------------------------------------- the shopper

  async #send<T>(method: string, path: string, call: Call): Promise<T> {
    const { query = {}, body, signal, repeatable = true } = call;
    const search = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : `${name}=${plain(value)}`,
    );
    const url = `${this.#root}/api/${path}` + (search.length ? '?' + search.join('&') : '');
    for (;;) {
      const era = this.#era;
      const text = body && JSON.stringify(body);
      const answer = await request({ method, url, body: text, signal, repeatable });
      // A read that somebody's change has overtaken says nothing any more.
      const who = answer.headers.get('wishwell-shopper');
      if (!this.#meet(who, era) && method === 'GET') continue;
      if (who && who !== '-') this.#resume();
      const { status, headers } = answer;
      let data: unknown;
      try {
        data = JSON.parse(answer.text || 'null');
      } catch {
        // Not of the API: a page of something between.
      }
      // A DELETE that was repeated may find that its first try has done it.
      const done = method === 'DELETE' && status === 404 && answer.tries;
      if ((status > 399 && !done) || data === undefined) {
        throw new WishlistError(`The wishlist answered ${status}.`, status, headers, data);
      }
      return data as T;
    }
  }

  /** Saves what a visitor pressed before they signed in. */
  #resume() {
    const product = kept(this.base, true);
    // What fails is told by the event `error`.
    if (product) this.#wish(product, true);
  }

  /** Notes whose answer it is; false when it was asked before the shopper's last change. */
  #meet(who: string | null, era: number): boolean {
    const was = this.#shopper;
    if (!who || who === was) return true;
    if (was && era !== this.#era) {
      this.#again();
      return false;
    }
    this.#shopper = who;
    this.#era++;
    if (was) {
      this.#post({});
      // A visitor who had nothing has begun a session, or signed in: there is nothing to forget.
      if (was !== '-') {
        this.#memory.forget();
        this.#tell();
        this.#emit('shopper', undefined);
      }
      this.#again();
    }
    return true;
  }

  /** Asks again, if anything was asked yet; if that fails, what is shown stays. */
  #again() {
    if (this.#shopper) this.refresh().catch(() => {});
  }

  // ----------------------------------------------------------------------------------- the tabs

  #open() {
    try {
      this.#channel = new BroadcastChannel(`wishwell:${this.base}`);
    } catch {
      return; // Firefox with all storage blocked: hearts work, tabs can't agree
    }
    this.#channel.onmessage = ({ data }: MessageEvent<News>) => {
      const was = this.#shopper;
      if (data.shopper !== was) {
        this.#again();
        // Of two shoppers, the next answer says which it is.
        if (was && was !== '-') return;
        this.#shopper = data.shopper;
        this.#era++;
      }
      this.#apply(data, true);
    };
  }

  #shut() {
    this.#channel?.close();
    this.#channel = undefined;
  }

  #post(news: Omit<News, 'shopper'>) {
    this.#channel?.postMessage({ ...news, shopper: this.#shopper });
  }

  #listen() {
    // An open channel can keep a page out of the back/forward cache.
    addEventListener('pagehide', () => this.#shut());
    addEventListener('pageshow', ({ persisted }) => {
      if (!persisted) return;
      this.#open();
      this.#again();
    });
    addEventListener('online', () => this.#again());
    // It bubbles from the document.
    addEventListener('visibilitychange', () => {
      if (document.hidden) this.#hidden = Date.now();
      else if (Date.now() - this.#hidden > AWAY) this.#again();
    });
  }

  #emit<K extends keyof Events>(type: K, detail: Events[K]['detail']) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  #tell(productId?: ProductId) {
    for (const [{ product, watchers }, state, change] of this.#memory.news(productId)) {
      for (const watcher of [...watchers]) watcher(state, change, product);
      if (change) this.#emit('change', { ...product, ...state });
    }
  }

  // ------------------------------------------------------------------------------ what is saved

  async #ask(productId: ProductId): Promise<void> {
    // One bad id would be the end of the request for all.
    if (!isId(productId)) throw new RangeError('productId: is not an id.');
    if (this.#memory.known.has(productId)) return;
    let asking = this.#asking.get(productId);
    if (!asking) {
      this.#queue.add(productId);
      const kind = typeof productId;
      asking = this.#batches[kind] ??= this.#flush(kind);
      this.#asking.set(productId, asking);
    }
    return asking;
  }

  async #flush(kind: string) {
    await new Promise((resolve) => setTimeout(resolve, GATHER));
    const ids = [...this.#queue].filter((id) => typeof id === kind && this.#queue.delete(id));
    delete this.#batches[kind];
    try {
      const unknown = ids.filter((id) => !this.#memory.known.has(id));
      await Promise.all(chunks(unknown).map((chunk) => this.#find(chunk)));
    } finally {
      for (const id of ids) this.#asking.delete(id);
    }
  }

  /** Learns all items of these products. */
  async #find(ids: ProductId[]) {
    const memory = this.#memory;
    while (ids.length) {
      const since = memory.clock;
      const found: Item[] = [];
      let era: number | undefined;
      const list = async (query: ItemOptions) => {
        const page = await this.#send<ItemPage>('GET', 'items', { query });
        era ??= this.#era;
        return page;
      };
      const query = `product:${ids}`;
      for await (const item of walk(list, { query, limit: 250 })) found.push(item);
      if (era !== this.#era) continue; // pages of two shoppers

      // What was written meanwhile is newer than the answer, and asked again.
      for (const productId of ids) {
        if (memory.writtenSince(productId, since)) continue;
        memory.known.add(productId);
        for (const { id } of memory.matching({ productId })) memory.items.delete(id);
      }
      this.#learn(found, since);
      for (const id of ids) this.#tell(id);
      ids = ids.filter((id) => !memory.known.has(id));
    }
  }

  /** Items as they were answered, but for products that were written since that was asked. */
  #learn(answer: Item[], since: number) {
    const items = answer
      .map((item) => this.#memory.alike(item))
      .filter((item) => !this.#memory.writtenSince(item.productId, since));
    for (const item of items) this.#memory.items.set(item.id, item);
    for (const id of new Set(items.map((item) => item.productId))) this.#tell(id);
  }

  /** Answers with items in them are kept too. */
  async #read<T extends { data: Item | Item[] | ListWithItems }>(path: string, call: Call) {
    const since = this.#memory.clock;
    const answer = await this.#send<T>('GET', path, call);
    const { data } = answer;
    this.#learn(([] as Item[]).concat('items' in data ? data.items : data), since);
    return answer;
  }

  /** Takes in what was written, here or (`told`) in another tab, and tells of it. */
  #apply(news: Partial<News>, told = false) {
    const memory = this.#memory;
    const { gone = [], lists = [] } = news;
    const items = (news.items ?? []).map((item) => memory.alike(item));
    const olds = [...items.map((item) => item.id), ...gone].map((id) => memory.items.get(id));
    const touched = [...olds, ...items].filter((item) => item !== undefined);
    for (const item of touched) {
      memory.show(item, true);
      memory.written.set(item.productId, ++memory.clock);
    }
    for (const item of items) memory.items.set(item.id, item);
    for (const id of gone) memory.items.delete(id);
    for (const id of new Set(touched.map((item) => item.productId))) this.#tell(id);

    const listIds = [...new Set([...lists, ...touched.flatMap((item) => item.listIds)])];
    if (listIds.length || gone.length) this.#emit('lists', { listIds });
    if (!told) this.#post(news);
  }

  // ----------------------------------------------------------------------------------- writing

  #write<T extends Item | List>(method: string, path: string, call: Call): Promise<T> {
    return inTurn(async () => {
      const { data } = await this.#send<{ data: T }>(method, path, call);
      this.#apply('listIds' in data ? { items: [data] } : { lists: [data.id] });
      return data;
    }, call.signal);
  }

  async #delete(ids: string[], done: () => void, signal?: AbortSignal) {
    for (const gone of chunks(ids)) {
      // In the query, as some intermediaries drop the body of a DELETE.
      await this.#send('DELETE', 'items', { query: { itemIds: gone }, signal });
      done();
      this.#apply({ gone });
    }
  }

  #wish(given: NewItem | Product, saved: boolean): Promise<Item | undefined> {
    const { wishes } = this.#memory;
    const { match, ...product } = this.#memory.alike(given as NewItem & Product);
    const scope = this.#memory.scope(given);
    const key = keyOf(scope);
    this.#memory.show(scope);
    let wish = wishes.get(key);
    if (wish) {
      wish.saved = saved;
      wish.product = { ...wish.product, ...product };
    } else {
      wish = { saved, product } as Wish;
      wishes.set(key, wish);
      wish.done = quiet(this.#fulfil(scope, wish));
    }
    this.#tell(product.productId);
    return wish.done;
  }

  /** Sends the last wish, however often it changed while others were sent. */
  async #fulfil(scope: Product, wish: Wish): Promise<Item | undefined> {
    const memory = this.#memory;
    const { productId } = scope;
    const key = keyOf(scope);
    let item: Item | undefined, sent: NewItem;
    try {
      do {
        sent = await inTurn(async () => {
          if (memory.wishes.get(key) !== wish)
            throw new WishlistError('Somebody else is shopping.');
          const { saved, product } = wish;
          // Every press makes a new `product`.
          const settled = () => {
            if (wish.product === product && memory.wishes.get(key) === wish)
              memory.wishes.delete(key);
          };
          const write = async (method: string, path: string, body: object) => {
            item = (await this.#send<{ data: Item }>(method, path, { body })).data;
            settled();
            this.#apply({ items: [item] });
          };
          // Pressed before the first answer: there may be a variant that it is about. With one of its
          // own, saving twice is saving once.
          if (!(saved && scope.variantId) && !memory.known.has(productId))
            await this.#find([productId]);
          const items = memory.matching(scope);
          item = undefined;
          if (!saved) {
            const ids = items.map(({ id }) => id);
            await this.#delete(ids, settled);
          } else {
            const { variantId, quantity, tags, listIds } = product;
            item = items.find((it) => !variantId || it.variantId === variantId);
            const other = items.find((it) => !it.variantId) ?? items[0];
            // Several variants are saved on purpose: which of them would it be?
            if (!item && other && !(other.variantId && items[1])) {
              try {
                await write('PATCH', at`items/${other.id}`, { variantId });
              } catch (error) {
                // Elsewhere the item was removed, or the variant saved: that stays, and is shown.
                if (!/40[49]/.test(`${(error as WishlistError).status}`)) throw error;
                await this.#find([productId]);
                [item] = memory.matching(product);
              }
            }
            if (!other || quantity || tags || listIds || 'note' in product) {
              await write('POST', 'items', product);
            }
          }
          settled();
          return product;
        });
      } while (sent !== wish.product);
      return item;
    } catch (error) {
      if (memory.wishes.get(key) === wish) {
        memory.wishes.delete(key);
        // Perhaps it was received all the same: the next question asks.
        memory.known.delete(productId);
        this.#tell(productId);
        this.#emit('error', { error, ...scope, saved: memory.state(scope).saved });
      }
      throw error;
    } finally {
      this.#tell(productId);
    }
  }
}

/** The path with its ids as one segment each. */
function at(path: TemplateStringsArray, id: string): string {
  return path.raw.join(encodeURIComponent(id));
}

/** Percent-encoded, but for what is plain in a query and good to read in a log. */
function plain(value: unknown): string {
  return encodeURIComponent(String(value)).replace(/%3A|%2C/g, decodeURIComponent);
}

function chunks<T>(ids: T[]): T[][] {
  let size = CHUNK;
  while (size > 1 && `${ids.slice(0, size)}`.length > LONGEST) size--;
  return ids.length ? [ids.slice(0, size), ...chunks(ids.slice(size))] : [];
}

/** Whoever does not await it has the event `error`; so it is no unhandled rejection. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

async function* walk<T, O extends PageOptions>(
  list: (options: O) => Promise<{ data: T[]; pageInfo?: { next?: string } }>,
  options: O,
): AsyncGenerator<T, void, undefined> {
  let page: string | undefined;
  do {
    const answer = await list({ ...options, page });
    yield* answer.data;
    page = answer.pageInfo?.next;
  } while (page);
}
