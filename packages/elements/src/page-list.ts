import { HEART } from './button.js';
import { card, dropOf, nameOf, toCart, unavailable } from './page-card.js';
import { h, icon, ICONS, safe, type Child, type Wanted } from './page-dom.js';
import { drag } from './page-drag.js';
import { editItem } from './page-item.js';
import { Notices } from './page-notices.js';
import { Removals } from './page-removal.js';
import { Selection } from './page-select.js';
import { Tools } from './page-tools.js';
import { View } from './page-view.js';
import { liveShare, sharesOf } from './shares.js';
import type { components } from './api.js';
import type { WishlistError } from './error.js';
import type { Item, ItemPage, List, ListWithItems } from './types.js';

const MOST = 250; // records in one response
const ASKED = 20; // items from which on "Add all to cart" asks

type Profile = components['schemas']['Profile'];
/** Items of the wishlist or a list, and the cursor of the next page. */
type Items = [Item[], string | undefined];

/** The element <wishlist-page>: the shopper's wishlist and lists. */
export abstract class PageElement extends View<Item> {
  lists: List[] = [];
  /** The id of the list shown; empty for all items. */
  list = '';
  readonly selection = new Selection(this);
  readonly #removals = new Removals(this);
  readonly notices = new Notices(this);
  readonly #tools = new Tools(this);
  #all = 0;
  #visitor = false;
  #shared = false;

  override connectedCallback() {
    this.list = this.#chosen();
    super.connectedCallback();
    const { signal } = this.leaving!;
    addEventListener('popstate', () => this.#show(this.#chosen()), { signal });
    const changed = ({ detail }: CustomEvent) => detail.pending || this.refresh();
    this.wishlist.addEventListener('change', changed, { signal });
  }

  override attributeChangedCallback(name: string, was: string | null, now: string | null) {
    if (name === 'list') this.list = now ?? '';
    super.attributeChangedCallback(name, was, now);
  }

  protected override begin() {
    this.lists = [];
    this.#all = 0;
    this.#visitor = false;
    this.selection.clear();
    this.#tools.clear();
    super.begin();
  }

  // ---------------------------------------------------------------------------------- reading

  /** Uses `call`, so that the items shown here don't fill the cache of the hearts. */
  protected async read() {
    const { wishlist, list } = this;
    const isWhole = list && !this.#tools.terms;
    const [lists, [items, next], { data: profile }, shares] = await Promise.all([
      this.#listsOf(),
      isWhole ? this.#itemsOf(list) : this.#pages(),
      wishlist.call<{ data: Profile }>('GET', 'profile'),
      sharesOf(wishlist, list).list(),
    ]);
    return () => {
      this.lists = lists;
      // The service has no such order, so all items were read.
      const byDrop = (a: Item, b: Item) => dropOf(b) - dropOf(a);
      this.items = this.sort === 'drop' ? items.sort(byDrop) : items;
      this.next = next;
      this.#all = profile.items;
      this.#visitor = profile.kind === 'session';
      this.notices.show(profile);
      this.#shared = !!liveShare(shares);
    };
  }

  async #listsOf(): Promise<List[]> {
    const lists: List[] = [];
    for await (const list of this.wishlist.lists.all({ limit: MOST })) lists.unshift(list);
    return lists;
  }

  /** The order that the service is asked for. */
  get #sent(): string {
    const { sort } = this;
    return sort === 'drop' || (sort === 'custom' && this.#tools.terms) ? 'newest' : sort;
  }

  async #itemsOf(list: string, sort = this.#sent): Promise<Items> {
    const path = `lists/${list}?sort=${sort}&include=product`;
    const { data } = await this.wishlist.call<{ data: ListWithItems }>('GET', path);
    return [data.items, undefined];
  }

  /** Returns the ids on a list, in the shopper's own order. */
  async idsOf(list: string): Promise<string[]> {
    return (await this.#itemsOf(list, 'custom'))[0].map(({ id }) => id);
  }

  /** Reads pages of all items, or of those that are searched, until there are as many as wanted. */
  async #pages(items: Item[] = [], next = '', wanted = this.wanted): Promise<Items> {
    if (this.sort === 'drop') wanted = Infinity;
    const { terms } = this.#tools;
    const query =
      terms && `&query=${encodeURIComponent(this.list ? `list:${this.list} ${terms}` : terms)}`;
    const limit = Math.min(MOST, wanted - items.length);
    const page = next && `&page=${encodeURIComponent(next)}`;
    const path = `items?include=product&sort=${this.#sent}&limit=${limit}${query}${page}`;
    const { data, pageInfo } = await this.wishlist.call<ItemPage>('GET', path);
    const all = [...items, ...data];
    const more = pageInfo?.next && all.length < wanted;
    return more ? this.#pages(all, pageInfo.next, wanted) : [all, pageInfo?.next];
  }

  protected override more() {
    super.more();
    const { items, next } = this;
    if (!next || items!.length >= this.wanted) return;
    this.load(async () => {
      const more = await this.#pages(items, next);
      return () => ([this.items, this.next] = more);
    });
  }

  /** Switches to all items if the list was deleted, here or in another tab. */
  protected override fail(error: WishlistError) {
    if (error.status === 404 && this.list) this.#choose('', false);
    else super.fail(error);
  }

  // ---------------------------------------------------------------------------------- drawing

  protected content(): Child[] {
    const { say, lists, items } = this;
    const list = lists.find(({ id }) => id === this.list);
    const tabs = [{ id: '', name: say('all'), itemCount: this.#all }, ...lists];
    const add = { ariaLabel: say('newList'), title: say('newList'), onclick: () => this.newList() };
    const among = { role: 'tablist', ariaLabel: say('lists'), onkeydown: this.#key };
    const n = (list ? list.itemCount : this.#all) ?? 0;
    const shared = { role: 'img', ariaLabel: say('isShared') };
    return [
      h(
        'header.head',
        {},
        this.heading(0, 'title', say('title')),
        h(
          'p.count',
          {},
          items && n && say('count', { n: this.#tools.terms && !this.next ? items.length : n }),
        ),
        this.#shared && h('span.shared', shared, icon(ICONS.share)),
      ),
      h(
        'div.bar',
        {},
        h('div.tabs', among, ...tabs.map((tab) => this.#tab(tab))),
        h('button.icon.new', add, icon(ICONS.plus)),
      ),
      h(
        'section.panel',
        { role: 'tabpanel', ariaLabel: list?.name ?? say('all') },
        h('div.tools', {}, ...this.#tools.row(list, n)),
        // Below the tools, which then stay where they are when these lines appear.
        this.notice(),
        this.notices.address(true),
        this.#visitor && this.#signIn(),
        ...this.cards(this.#none(), list?.itemCount),
        this.selection.bar(),
      ),
    ];
  }

  #signIn(): Child {
    const url = safe(this.getAttribute('sign-in') ?? undefined);
    const back = this.getAttribute('sign-in-return');
    if (!url) return false;
    const href = new URL(url);
    if (back) href.searchParams.set(back, location.href.slice(location.origin.length));
    return h('a.sign-in', { href: href.href }, this.say('signInHint'));
  }

  #tab({ id, name, itemCount }: Pick<List, 'id' | 'name' | 'itemCount'>): Wanted {
    const chosen = id === this.list;
    const as = { role: 'tab', ariaSelected: `${chosen}`, tabIndex: chosen ? 0 : -1 };
    return h(
      'button.tab',
      { key: id, id: `tab-${id}`, ...as, onclick: () => this.#choose(id) },
      h('span.tab-name', { dir: 'auto' }, name),
      h('span.tab-count', {}, `${itemCount || ''}`),
    );
  }

  /** Returns what is shown in place of cards. */
  #none(): Wanted {
    const { say } = this;
    const { terms } = this.#tools;
    if (!this.list && !terms) {
      const href = safe(this.getAttribute('shop-url') ?? '/');
      const shop = href && h('a.plain', { href }, say('shop'));
      return this.blank(HEART, say('empty'), say('emptyText'), shop);
    }
    const clear = () => (this.#tools.clear(), this.empty());
    const onclick = () => (terms ? clear() : this.#choose(''));
    const all = h('button.plain', { onclick }, say('showAll'));
    if (terms) return this.blank(ICONS.picture, say('noMatch'), '', all);
    return this.blank(ICONS.plus, say('emptyList'), say('emptyListText'), all);
  }

  protected card(item: Item): Wanted {
    const name = nameOf(item, this);
    const badge = item.purchased && this.say('bought');
    if (this.selection.on) return card(this, item, { badge, pick: this.selection.box(item) });
    const tool = (what: 'options' | 'remove', path: string, onclick: () => void) => {
      const ariaLabel = this.say(what === 'remove' ? 'removeItem' : what, { name });
      return h(`button.icon.${what}`, { ariaLabel, onclick }, icon(path));
    };
    const onpointerdown = (event: PointerEvent) => this.#drag(event, item);
    const tools = [
      tool('remove', HEART, () => this.takeAway([item])),
      tool('options', ICONS.more, () => editItem(this, item)),
      this.movable && h('span.icon.grip', { ariaHidden: 'true', onpointerdown }, icon(ICONS.grip)),
    ];
    const actions = [!badge && this.notices.offer(item)];
    return card(this, item, { badge, tools, actions, reduces: this.notices.reduces });
  }

  // ------------------------------------------------------------------------------------ lists

  /** Returns the list in the current history entry, so that "back" returns to the previous one. */
  #chosen(): string {
    return history.state?.wishlist ?? this.getAttribute('list') ?? '';
  }

  /** Shows a list, in a new history entry or (`anew` false) replacing the current one. */
  #choose(list: string, anew = true) {
    if (list === this.list) return;
    history[anew ? 'pushState' : 'replaceState']({ ...history.state, wishlist: list }, '');
    this.#show(list);
  }

  #show(list: string) {
    if (list === this.list) return;
    this.list = list;
    this.#tools.clear();
    this.#shared = false;
    this.selection.clear();
    this.empty();
    this.home?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }

  readonly #key = (event: KeyboardEvent) => {
    const ids = ['', ...this.lists.map(({ id }) => id)];
    const at = ids.indexOf(this.list);
    const next = getComputedStyle(this).direction === 'rtl' ? -1 : 1;
    const to = { ArrowLeft: at - next, ArrowRight: at + next, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    // Without a history entry for each key press, because "back" would take as many presses.
    this.#choose(ids.at(to % ids.length)!, false);
    this.home?.focus();
  };

  /** Creates a list, then shows it or, if given, adds the items to it. */
  async newList(add?: (list: List) => Promise<void>): Promise<void> {
    const { say } = this;
    const field = { ariaLabel: say('listName'), maxLength: 255 };
    const name = await this.ask(say('newList'), say('create'), { field });
    if (!name) return;
    await this.attempt(async () => {
      const list = await this.wishlist.lists.create({ name });
      this.lists = [...this.lists, list];
      if (add) return add(list);
      this.#choose(list.id);
      this.home?.focus();
    });
  }

  async rename({ id, name }: List): Promise<void> {
    const { say, wishlist } = this;
    const field = { ariaLabel: say('listName'), maxLength: 255, defaultValue: name };
    const named = await this.ask(say('rename'), say('save'), { field });
    if (named) await this.attempt(() => wishlist.lists.update(id, { name: named }));
  }

  async deleteList({ id, name }: List): Promise<void> {
    const { say, wishlist } = this;
    const sure = { text: say('deleteText'), grave: true };
    if (!(await this.ask(say('deleteSure', { name }), say('deleteList'), sure))) return;
    await this.attempt(async () => {
      await wishlist.lists.delete(id);
      this.lists = this.lists.filter((list) => list.id !== id);
      this.#choose('', false);
    });
  }

  // ------------------------------------------------------------------------------------ items

  /** Adds the item to a list. `after`: the item to place it after, or null for first. */
  async put(item: Item, list: string, after?: string | null): Promise<void> {
    const path = `lists/${list}/items/${item.id}`;
    const options = after === undefined ? {} : { body: { after } };
    const { data } = await this.wishlist.call<{ data: Item }>('PUT', path, options);
    this.wishlist.wrote({ items: [data], lists: [list] });
  }

  async takeOff(item: Item, list: string): Promise<void> {
    await this.wishlist.call('DELETE', `lists/${list}/items/${item.id}`);
    const listIds = item.listIds.filter((id) => id !== list);
    this.wishlist.wrote({ items: [{ ...item, listIds }], lists: [list] });
  }

  /** Removes items, and offers to undo that. */
  takeAway(items: Item[]): void {
    this.#removals.remove(items);
  }

  /** Hides items that are being removed. Returns a function that shows them again. */
  without(ids: string[]): () => void {
    const hidden = [...this.items!.entries()].filter(([, { id }]) => ids.includes(id));
    this.items = this.items!.filter(({ id }) => !ids.includes(id));
    this.#all -= ids.length;
    this.draw();
    return () => {
      for (const [at, item] of hidden) this.items?.splice(at, 0, item);
      this.#all += ids.length;
      this.draw();
    };
  }

  /** Whether items can be moved by hand. */
  get movable(): boolean {
    return !!this.list && this.sort === 'custom' && !!this.items?.[1];
  }

  /** The order of the items shown. */
  get sort(): string {
    const chosen = history.state?.wishlistSort;
    if (this.list) return chosen ?? 'custom';
    return chosen === 'custom' ? 'newest' : (chosen ?? 'newest');
  }

  /** Dispatches one event with all items that can be ordered, those not shown yet too. */
  async addAll(): Promise<void> {
    const { items, next, say } = this;
    const [all] = next
      ? ((await this.attempt(() => this.#pages(items, next, Infinity))) ?? [])
      : [items];
    const ready = all?.filter((item) => !unavailable(item) && !item.purchased);
    const n = ready?.length ?? 0;
    const text = say('count', { n });
    if (n > ASKED && !(await this.ask(`${say('cartAll')}?`, say('cartAll'), { text }))) return;
    if (n) toCart(this, ready!);
  }

  /** Moves the item to another index of the list. */
  place(item: Item, to: number): void {
    const items = this.items!.filter(({ id }) => id !== item.id);
    items.splice(to, 0, item);
    this.items = items;
    const where = { name: nameOf(item, this), n: to + 1, count: items.length };
    this.announce(this.say('place', where));
    this.attempt(() => this.put(item, this.list, before(items, item)));
  }

  #drag(event: PointerEvent, item: Item) {
    if (event.button) return;
    const card = (event.currentTarget as Element).closest<HTMLElement>('.card')!;
    const cards = card.parentElement!.children;
    this.busy++;
    drag(event, card, (moved) => {
      this.busy--;
      if (moved) this.place(item, [...cards].indexOf(card));
      else this.refresh();
    });
  }
}

/** Returns the id of the item before an item; null for the first. */
function before(items: Item[], { id }: Item): string | null {
  return items[items.findIndex((item) => item.id === id) - 1]?.id ?? null;
}
