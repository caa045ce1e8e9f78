import { HEART } from './button.js';
import { card, nameOf } from './page-card.js';
import { h, icon, ICONS, safe, type Child, type Wanted } from './page-dom.js';
import { drag } from './page-drag.js';
import { editItem } from './page-item.js';
import { closing, View } from './page-view.js';
import { share, sharesOf } from './shares.js';
import type { components } from './api.js';
import type { WishlistError } from './error.js';
import type { Item, ItemPage, List, ListWithItems } from './types.js';

const MOST = 250; // records in one response

type Profile = components['schemas']['Profile'];
/** Items of the wishlist or a list, and the cursor of the next page. */
type Items = [Item[], string | undefined];

/** The element <wishlist-page>: the shopper's wishlist and lists. */
export abstract class PageElement extends View<Item> {
  lists: List[] = [];
  /** The id of the list shown; empty for all items. */
  list = '';
  #all = 0;
  #notices = false;
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
    super.begin();
  }

  // ---------------------------------------------------------------------------------- reading

  /** Uses `call`, so that the items shown here don't fill the cache of the hearts. */
  protected async read() {
    const { wishlist, list } = this;
    const [lists, [items, next], profile, shares] = await Promise.all([
      this.#listsOf(),
      list ? this.#itemsOf(list) : this.#newest(),
      wishlist.call<{ data: Profile }>('GET', 'profile'),
      list ? sharesOf(wishlist, list).list() : [],
    ]);
    return () => {
      this.lists = lists;
      this.items = items;
      this.next = next;
      this.#all = profile.data.items;
      this.#notices = profile.data.notices;
      this.#shared = shares.some(({ expiresAt }) => !(Date.parse(expiresAt!) < Date.now()));
    };
  }

  async #listsOf(): Promise<List[]> {
    const lists: List[] = [];
    for await (const list of this.wishlist.lists.all({ limit: MOST })) lists.unshift(list);
    return lists;
  }

  async #itemsOf(list: string): Promise<Items> {
    const path = `lists/${list}?sort=customer&include=product`;
    const { data } = await this.wishlist.call<{ data: ListWithItems }>('GET', path);
    return [data.items, undefined];
  }

  /** Reads pages of all items, newest first, until there are as many as wanted. */
  async #newest(items: Item[] = [], next = ''): Promise<Items> {
    const limit = Math.min(MOST, this.wanted - items.length);
    const page = next && `&page=${encodeURIComponent(next)}`;
    const path = `items?include=product&limit=${limit}${page}`;
    const { data, pageInfo } = await this.wishlist.call<ItemPage>('GET', path);
    const all = [...items, ...data];
    const more = pageInfo?.next && all.length < this.wanted;
    return more ? this.#newest(all, pageInfo.next) : [all, pageInfo?.next];
  }

  protected override more() {
    super.more();
    const { items, next } = this;
    if (!next || items!.length >= this.wanted) return;
    this.load(async () => {
      const more = await this.#newest(items, next);
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
    const { say, lists } = this;
    const list = lists.find(({ id }) => id === this.list);
    const tabs = [{ id: '', name: say('all'), itemCount: this.#all }, ...lists];
    const notices = { type: 'checkbox', checked: this.#notices, onchange: this.#setNotices };
    const add = { ariaLabel: say('newList'), title: say('newList'), onclick: () => this.newList() };
    const among = { role: 'tablist', ariaLabel: say('lists'), onkeydown: this.#key };
    return [
      h(
        'header.head',
        {},
        this.heading(0, 'title', say('title')),
        h('label.notices', { inert: !this.#all }, h('input', notices), say('notices')),
      ),
      this.notice(),
      h(
        'div.bar',
        {},
        h('div.tabs', among, ...tabs.map((tab) => this.#tab(tab))),
        h('button.icon.new', add, icon(ICONS.plus)),
      ),
      h(
        'section.panel',
        { role: 'tabpanel', ariaLabel: list?.name ?? say('all') },
        h('div.tools', {}, ...this.#tools(list)),
        ...this.cards(this.list ? this.#emptyList() : this.#nothing(), list?.itemCount),
      ),
    ];
  }

  #tools(list: List | undefined): Child[] {
    const { say, items } = this;
    const n = list ? items?.length : items && this.#all;
    const words = [n && say('count', { n }), this.#shared && say('isShared')];
    const count = h('p.count', { dir: 'auto' }, words.filter(Boolean).join(' · '));
    if (!list || !items) return [count];
    const options = { ariaLabel: say('listOptions'), onclick: () => this.#listOptions(list) };
    const press = { onclick: () => this.#share(list) };
    return [
      count,
      h('button.plain.share', press, icon(ICONS.share), say('share')),
      h('button.icon', options, icon(ICONS.more)),
    ];
  }

  #tab({ id, name, itemCount }: Pick<List, 'id' | 'name' | 'itemCount'>): Wanted {
    const chosen = id === this.list;
    const as = { role: 'tab', ariaSelected: `${chosen}`, tabIndex: chosen ? 0 : -1 };
    return h(
      'button.tab',
      { key: id, id: `tab-${id}`, ...as, onclick: () => this.#choose(id) },
      h('span.tab-name', {}, name),
      h('span.tab-count', {}, `${itemCount || ''}`),
    );
  }

  #nothing(): Wanted {
    const { say } = this;
    const href = safe(this.getAttribute('shop-url') ?? '/');
    const shop = href && h('a.plain', { href }, say('shop'));
    return this.blank(HEART, say('empty'), say('emptyText'), shop);
  }

  #emptyList(): Wanted {
    const { say } = this;
    const all = h('button.plain', { onclick: () => this.#choose('') }, say('showAll'));
    return this.blank(ICONS.plus, say('emptyList'), say('emptyListText'), all);
  }

  protected card(item: Item): Wanted {
    const ariaLabel = this.say('options', { name: nameOf(item, this.say) });
    const onpointerdown = (event: PointerEvent) => this.#drag(event, item);
    const tools = [
      h(
        'button.icon.options',
        { ariaLabel, onclick: () => editItem(this, item) },
        icon(ICONS.more),
      ),
      this.list &&
        this.items![1] &&
        h('span.icon.grip', { ariaHidden: 'true', onpointerdown }, icon(ICONS.grip)),
    ];
    return card(this, item, { tools });
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
    this.#shared = false;
    this.empty();
    this.home?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }

  readonly #key = (event: KeyboardEvent) => {
    const ids = ['', ...this.lists.map(({ id }) => id)];
    const at = ids.indexOf(this.list);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    // Without a history entry for each key press, because "back" would take as many presses.
    this.#choose(ids.at(to % ids.length)!, false);
    this.home?.focus();
  };

  /** Creates a list, then shows it or, if given, adds the item to it. */
  async newList(item?: Item): Promise<void> {
    const { say } = this;
    const field = { ariaLabel: say('listName'), maxLength: 255 };
    const name = await this.ask(say('newList'), say('create'), { field });
    if (!name) return;
    await this.attempt(async () => {
      const list = await this.wishlist.lists.create({ name });
      this.lists = [...this.lists, list];
      if (item) return this.put(item, list.id);
      this.#choose(list.id);
      this.home?.focus();
    });
  }

  async #listOptions({ id, name }: List): Promise<void> {
    const { say, wishlist } = this;
    const { returnValue } = await this.sheet(name, () => [
      h('button.plain', closing('rename'), say('rename')),
      this.#shared && h('button.plain', { key: 'stop', ...closing('stop') }, say('stop')),
      h('button.danger', closing('delete'), say('deleteList')),
    ]);
    const sure = (title: string, yes: string, text: string) =>
      this.ask(title, yes, { text, grave: true });
    if (returnValue === 'rename') {
      const field = { ariaLabel: say('listName'), maxLength: 255, defaultValue: name };
      const named = await this.ask(say('rename'), say('save'), { field });
      if (named) await this.attempt(() => wishlist.lists.update(id, { name: named }));
    }
    if (returnValue === 'stop' && (await sure(`${say('stop')}?`, say('stop'), say('stopText')))) {
      await this.attempt(async () => {
        const shares = sharesOf(wishlist, id);
        for (const share of await shares.list()) await shares.delete(share.id);
        this.toast(say('stopped'));
      });
    }
    const title = say('deleteSure', { name });
    if (returnValue === 'delete' && (await sure(title, say('deleteList'), say('deleteText')))) {
      await this.attempt(async () => {
        await wishlist.lists.delete(id);
        this.lists = this.lists.filter((list) => list.id !== id);
        this.#choose('', false);
      });
    }
  }

  /** Passes the link to the system's share sheet, or else copies it. */
  async #share(list: List): Promise<void> {
    const { say, wishlist } = this;
    const page = this.getAttribute('shared-page') ?? `${wishlist.base}/shared#{token}`;
    const shared = await this.attempt(() => share(wishlist, list, { page }));
    if (!shared || shared.sheet) return;
    const copy = async () => {
      await navigator.clipboard.writeText(shared.url);
      this.toast(say('linkCopied'));
    };
    // The browser refuses to copy if the press was too long ago; the toast then asks for another.
    copy().catch(() => this.toast(say('linkReady'), say('copyLink'), () => this.attempt(copy)));
  }

  readonly #setNotices = ({ target }: Event) => {
    const body = { notices: (target as HTMLInputElement).checked };
    this.attempt(() => this.wishlist.call('PATCH', 'profile', { body }));
  };

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

  /** Removes an item, and offers to undo that, including its places on lists. */
  takeAway(item: Item): void {
    const { say, wishlist } = this;
    const name = nameOf(item, say);
    this.items = this.items!.filter(({ id }) => id !== item.id);
    this.#all--;
    const places = new Map<string, string | null>();
    const removed = this.attempt(async () => {
      for (const list of item.listIds)
        places.set(list, before((await this.#itemsOf(list))[0], item));
      await wishlist.items.delete(item.id);
    });
    const back = async () => {
      const { productId, variantId = null, quantity, tags, note = null } = item;
      const again = await wishlist.items.create({ productId, variantId, quantity, tags, note });
      for (const [list, after] of places) {
        if (!this.lists.some(({ id }) => id === list)) continue;
        // The item before it may have been removed in the meantime.
        await this.put(again, list, after).catch(() => this.put(again, list));
      }
      this.toast(say('back', { name }));
    };
    const undo = () => removed.then(() => this.attempt(back));
    this.toast(say('removed', { name }), say('undo'), undo);
  }

  /** Moves the item to another index of the list. */
  place(item: Item, to: number): void {
    const items = this.items!.filter(({ id }) => id !== item.id);
    items.splice(to, 0, item);
    this.items = items;
    const where = { name: nameOf(item, this.say), n: to + 1, count: items.length };
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
