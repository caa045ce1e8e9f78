import { isId, type Memory } from './memory.js';
import type { Call, Service } from './service.js';
import type { News } from './tabs.js';
import type { Events, Item, ItemOptions, ItemPage, PageOptions, ProductId } from './types.js';

const GATHER = 16; // ms, about a frame, in which lookups are batched into one request
const CHUNK = 100; // maximum ids in one URL
const LONGEST = 4_000; // maximum characters of ids in one URL, far below the limits of servers

export type Emit = <K extends keyof Events>(type: K, detail: Events[K]['detail']) => void;

/** Looks up saved items in batches, caches them in memory, and notifies watchers of changes. */
export class Questions {
  /** One batch per id type: a store with integer ids refuses a request with a text id. */
  readonly #batches: Record<string, Promise<void>> = {};
  readonly #queue = new Set<ProductId>();
  readonly asking = new Map<ProductId, Promise<void>>();

  constructor(
    readonly memory: Memory,
    readonly service: Service,
    readonly emit: Emit,
    readonly post: (news: Partial<News>) => void,
  ) {}

  tell(productId?: ProductId) {
    for (const [{ product, watchers }, state, change] of this.memory.news(productId)) {
      for (const watcher of [...watchers]) watcher(state, change, product);
      if (change) this.emit('change', { ...product, ...state });
    }
  }

  async ask(productId: ProductId): Promise<void> {
    // Checked here, because one bad id makes the service refuse the whole batch.
    if (!isId(productId)) throw new RangeError('Not an id.');
    if (this.memory.known.has(productId)) return;
    let asking = this.asking.get(productId);
    if (!asking) {
      this.#queue.add(productId);
      const kind = typeof productId;
      asking = this.#batches[kind] ??= this.#flush(kind);
      this.asking.set(productId, asking);
    }
    return asking;
  }

  async #flush(kind: string) {
    await new Promise((resolve) => setTimeout(resolve, GATHER));
    const ids = [...this.#queue].filter((id) => typeof id === kind && this.#queue.delete(id));
    delete this.#batches[kind];
    try {
      const unknown = ids.filter((id) => !this.memory.known.has(id));
      await Promise.all(chunks(unknown).map((chunk) => this.lookUp(chunk)));
    } finally {
      for (const id of ids) this.asking.delete(id);
    }
  }

  /** Loads all items of these products. */
  async lookUp(ids: ProductId[]) {
    const { memory, service } = this;
    while (ids.length) {
      const since = memory.clock;
      const found: Item[] = [];
      let era: number | undefined;
      const list = async (query: ItemOptions) => {
        const page = await service.send<ItemPage>('GET', 'items', query);
        era ??= service.era;
        return page;
      };
      const query = `product:${ids}`;
      for await (const item of walk(list, { query, limit: 250, include: 'product' }))
        found.push(item);
      if (era !== service.era) continue; // the shopper changed between pages

      // The response is stale for a product that was written since, so it is looked up again.
      for (const productId of ids) {
        if (memory.writtenSince(productId, since)) continue;
        memory.known.add(productId);
        for (const { id } of memory.matching({ productId })) memory.items.delete(id);
      }
      this.#learn(found, since);
      for (const id of ids) this.tell(id);
      ids = ids.filter((id) => !memory.known.has(id));
    }
  }

  /** Caches a response's items, except those of products written since the request. */
  #learn(answer: Item[], since: number) {
    const items = answer
      .map((item) => this.memory.alike(item))
      .filter((item) => !this.memory.writtenSince(item.productId, since));
    for (const item of items) this.memory.items.set(item.id, item);
    for (const id of new Set(items.map((item) => item.productId))) this.tell(id);
  }

  /** Sends a GET whose response contains items, and caches them. */
  async read<T extends { data: Item | Item[] | { items: Item[] } }>(path: string, call: Call) {
    const since = this.memory.clock;
    const answer = await this.service.send<T>('GET', path, call);
    const { data } = answer;
    this.#learn(([] as Item[]).concat('items' in data ? data.items : data), since);
    return answer;
  }

  /**
   * Applies a write, made here or (`heard`) in another tab, to the cache; notifies watchers.
   * `added`: the items that a write of this tab has added.
   */
  takeIn(news: Partial<News>, heard = false, added = (this.service.added && news.items) || []) {
    const { memory, service } = this;
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
    for (const id of new Set(touched.map((item) => item.productId))) this.tell(id);

    const listIds = [...new Set([...lists, ...touched.flatMap((item) => item.listIds)])];
    if (listIds.length || gone.length) this.emit('lists', { listIds });
    for (const id of gone) {
      const item = service.seen.get(id);
      service.seen.delete(id);
      if (item && !heard) this.#report(item);
    }
    if (heard) return;
    for (const item of added) this.#report(item, true);
    this.post(news);
  }

  /** Counts an item that this tab has added or removed, and dispatches its event on `document`. */
  #report(item: Item, added = false) {
    const { seen, sent, device } = this.service;
    const { productId, variantId, quantity } = item;
    if (!device) return;
    const { n } = device.known;
    // Items that were bought aren't counted.
    if (n !== undefined && !item['purchased']) device.set({ n: added ? n + 1 : n - 1 });
    const detail = { productId, variantId, quantity };
    const type = `wishlist-${added ? 'added' : 'removed'}`;
    // If the module can't be loaded, the event has fewer details. Either way it is dispatched after
    // hearts and counts show the change.
    import('./events.js')
      .then(({ detailsOf }) => Object.assign(detail, detailsOf(item, seen, sent)))
      .catch(() => {})
      .then(() => document.dispatchEvent(new CustomEvent(type, { detail })));
  }
}

export function chunks<T>(ids: T[]): T[][] {
  let size = CHUNK;
  while (size > 1 && `${ids.slice(0, size)}`.length > LONGEST) size--;
  return ids.length ? [ids.slice(0, size), ...chunks(ids.slice(size))] : [];
}

export async function* walk<T, O extends PageOptions>(
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
