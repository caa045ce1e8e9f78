import { HEART } from './button.js';
import { Card } from './page-card.js';
import { h, icon, ICONS, safe, type Child } from './page-dom.js';
import { drag } from './page-drag.js';
import { editItem } from './page-item.js';
import { STEP, View } from './page-view.js';
import { share, sharesOf } from './shares.js';
import type { components } from './api.js';
import type { WishlistError } from './error.js';
import type { Change, Item, ItemPage, List, ListWithItems } from './types.js';

const MOST = 250; // records in one answer

interface Items {
  items: Item[];
  /** Where the page behind them begins. */
  next: string | undefined;
}

/** The element <wishlist-page>: the shopper's wishlist and lists. */
export abstract class PageElement extends View<Item> {
  lists: List[] = [];
  #items: Item[] = [];
  /** The list that is shown; empty for all items. */
  #list = '';
  #all = 0;
  #next: string | undefined;
  #paging = false;
  #shared = false;
  readonly #notices = h('input', { type: 'checkbox', onchange: () => this.#setNotices() });
  readonly #noticesLabel = h('label.notices');
  readonly #tabs = h('div.tabs', {
    role: 'tablist',
    onkeydown: (e: KeyboardEvent) => this.#key(e),
  });
  readonly #count = h('p.count');
  readonly #share = h('button.plain.share', { onclick: () => this.#shareIt() });
  readonly #options = h('button.icon', { onclick: () => this.#listOptions() }, icon(ICONS.more));
  readonly #panel = h('section.panel', { role: 'tabpanel' });

  override connectedCallback() {
    this.#list = this.#chosen();
    super.connectedCallback();
    const { signal } = this.leaving;
    addEventListener('popstate', () => this.#show(this.#chosen()), { signal });
    this.wishlist.addEventListener('change', (event) => this.#changed(event.detail), { signal });
    addEventListener('resize', () => this.#fade(), { signal });
  }

  /** The list of this entry of the browser's history, so that "back" goes to the one before. */
  override attributeChangedCallback(name: string, was: string | null, now: string | null) {
    if (name === 'list') this.#list = now ?? '';
    super.attributeChangedCallback(name, was, now);
  }

  #chosen(): string {
    return history.state?.wishlist ?? this.getAttribute('list') ?? '';
  }

  protected build(): Child[] {
    const { say } = this;
    this.#noticesLabel.replaceChildren(this.#notices, say('notices'));
    this.#noticesLabel.classList.add('unknown');
    this.#tabs.ariaLabel = say('lists');
    this.#tabs.replaceChildren();
    this.#drawTabs();
    this.#tabs.onscroll = () => this.#fade();
    this.#share.replaceChildren(icon(ICONS.share), say('share'));
    this.#options.ariaLabel = say('listOptions');
    this.#share.hidden = this.#options.hidden = true;
    const plus = {
      onclick: () => this.newList(),
      ariaLabel: say('newList'),
      title: say('newList'),
    };
    this.#panel.replaceChildren(
      h('div.tools', this.#count, this.#share, this.#options),
      this.grid,
      this.blank,
      this.showMore,
    );
    return [
      h('header.head', this.heading(0, 'title', say('title')), this.#noticesLabel),
      this.notice,
      h('div.bar', this.#tabs, h('button.icon.new', plus, icon(ICONS.plus))),
      this.#panel,
    ];
  }

  // ---------------------------------------------------------------------------------- reading

  protected async read() {
    const { wishlist } = this;
    const list = this.#list;
    const [lists, { items, next }, profile, shares] = await Promise.all([
      this.#allLists(),
      list ? this.#itemsOf(list) : this.#newest(),
      wishlist.call<{ data: components['schemas']['Profile'] }>('GET', 'profile'),
      list ? sharesOf(wishlist, list).list() : [],
    ]);
    return () => {
      if (list !== this.#list) return;
      this.lists = lists;
      this.#items = items;
      this.#next = next;
      this.#shared = shares.some(({ expiresAt }) => !(Date.parse(expiresAt!) < Date.now()));
      this.#all = profile.data.items;
      this.#notices.checked = profile.data.notices;
      this.#draw();
    };
  }

  async #allLists(): Promise<List[]> {
    const lists: List[] = [];
    for await (const list of this.wishlist.lists.all({ limit: MOST })) lists.unshift(list);
    return lists;
  }

  async #itemsOf(list: string): Promise<Items> {
    const path = `lists/${list}?sort=customer&include=product`;
    const { data } = await this.wishlist.call<{ data: ListWithItems }>('GET', path);
    return { items: data.items, next: undefined };
  }

  /** As many of all items as are here already; at first one page. */
  async #newest(): Promise<Items> {
    const count = Math.max(this.#items.length, STEP);
    const items: Item[] = [];
    let next: string | undefined;
    do {
      const answer = await this.#page(Math.min(MOST, count - items.length), next);
      items.push(...answer.data);
      next = answer.pageInfo?.next;
    } while (next && items.length < count);
    return { items, next };
  }

  /** By `call`: hearts need not remember all that is shown here. */
  #page(limit: number, page = ''): Promise<ItemPage> {
    const query = page && `&page=${encodeURIComponent(page)}`;
    return this.wishlist.call('GET', `items?include=product&limit=${limit}${query}`);
  }

  /** A saved or removed product of this or another tab. */
  #changed({ productId, variantId, saved, item, pending }: Change) {
    const seen = item && this.#items.find(({ id }) => id === item.id);
    const same = saved
      ? seen?.updatedAt === item?.updatedAt
      : !this.#items.some(
          (i) => i.productId === productId && (!variantId || i.variantId === variantId),
        );
    if (!pending && !same) this.refresh();
  }

  protected async more() {
    // Beside a drag nothing may be put in its place.
    if (this.#paging || this.busy || this.grid.ariaBusy === 'true') return;
    this.wanted += STEP;
    const items = this.#items;
    if (this.#next && items.length < this.wanted) {
      this.#paging = true;
      const answer = await this.#page(2 * STEP, this.#next).catch((error) => this.tell(error));
      this.#paging = false;
      if (!answer || (this.grid.ariaBusy as string) === 'true') return;
      // Otherwise all was read again meanwhile.
      if (items === this.#items) {
        this.#items = [...items, ...answer.data];
        this.#next = answer.pageInfo?.next;
      }
    }
    this.#draw();
  }

  protected override fail(error: WishlistError) {
    // The list was deleted, here or in another tab.
    if (error.status === 404 && this.#list) this.#choose('', false);
    else super.fail(error);
  }

  protected override clear() {
    this.#items = this.lists = [];
    this.#all = 0;
    this.#share.hidden = this.#options.hidden = true;
    this.#noticesLabel.classList.add('unknown');
    this.#count.textContent = '';
    this.#drawTabs();
    super.clear();
  }

  // ---------------------------------------------------------------------------------- drawing

  #draw() {
    const { say } = this;
    const list = this.#list;
    const count = list ? this.#items.length : this.#all;
    this.#drawTabs();
    this.#noticesLabel.classList.toggle('unknown', !this.#all);
    const words = [count && say('count', { n: count }), this.#shared && say('isShared')];
    this.#count.textContent = words.filter(Boolean).join(' · ');
    this.#share.hidden = this.#options.hidden = !list;
    if (list)
      this.state(ICONS.plus, say('emptyList'), say('emptyListText'), say('showAll'), () =>
        this.#choose(''),
      );
    else
      this.state(
        HEART,
        say('empty'),
        say('emptyText'),
        say('shop'),
        safe(this.getAttribute('shop-url') ?? '/'),
      );
    const more = !!this.#next || this.#items.length > this.wanted;
    this.fill(this.#items.slice(0, this.wanted), more);
  }

  #drawTabs() {
    if (!this.ready) return;
    const before = new Map(Array.from(this.#tabs.children, (tab) => [tab.id, tab as HTMLElement]));
    const tabs = [{ id: '', name: this.say('all'), itemCount: this.#all }, ...this.lists];
    const nodes = tabs.map(({ id, name, itemCount }) => {
      const tab =
        before.get(`tab-${id}`) ??
        h('button.tab', { role: 'tab', id: `tab-${id}`, onclick: () => this.#choose(id) });
      const chosen = id === this.#list;
      tab.ariaSelected = `${chosen}`;
      tab.tabIndex = chosen ? 0 : -1;
      tab.replaceChildren(h('span.tab-name', name), h('span.tab-count', `${itemCount || ''}`));
      return tab;
    });
    // Only what differs is moved, as a tab that is moved loses the focus.
    if (nodes.some((node, at) => this.#tabs.children[at] !== node) || before.size !== nodes.length)
      this.#tabs.replaceChildren(...nodes);
    this.#panel.setAttribute('aria-labelledby', `tab-${this.#list}`);
    this.#fade();
  }

  protected home() {
    return this.#tab;
  }

  get #tab(): HTMLElement | null {
    return this.#tabs.querySelector('[aria-selected=true]');
  }

  /** Tabs fade where they are cut off. */
  #fade() {
    const { scrollLeft, scrollWidth, clientWidth, classList } = this.#tabs;
    classList.toggle('cut-start', scrollLeft > 1);
    classList.toggle('cut-end', scrollLeft + clientWidth < scrollWidth - 1);
  }

  protected make(item: Item): Card<Item> {
    const card: Card<Item> = new Card(this, item, () => {
      options.ariaLabel = this.say('options', { name: card.name });
      grip.hidden = !this.#list || this.#items.length < 2;
    });
    const edit = { onclick: () => editItem(this, card) };
    const options = h('button.icon.options', edit, icon(ICONS.more));
    const move = { onpointerdown: (event: PointerEvent) => this.#drag(event, card) };
    const grip = h('span.icon.grip', { ...move, ariaHidden: 'true' }, icon(ICONS.grip));
    card.node.append(options, grip);
    return card;
  }

  // ------------------------------------------------------------------------------------ lists

  /** Shows a list, as a new entry of the history or in place of this one. */
  #choose(list: string, anew = true) {
    if (list === this.#list) return;
    const state = { ...history.state, wishlist: list };
    if (anew) history.pushState(state, '');
    else history.replaceState(state, '');
    this.#show(list);
  }

  #show(list: string) {
    if (list === this.#list) return;
    this.closeAll();
    const inside = this.#panel.contains(this.root.activeElement);
    this.#list = list;
    this.#items = [];
    this.#shared = false;
    this.wanted = STEP;
    this.#drawTabs();
    this.wait(this.lists.find(({ id }) => id === list)?.itemCount);
    this.#count.textContent = '';
    const tab = this.#tab;
    if (inside) tab?.focus();
    if (tab)
      this.#tabs.scrollTo({
        left: tab.offsetLeft + (tab.offsetWidth - this.#tabs.clientWidth) / 2,
      });
    this.refresh();
  }

  #key(event: KeyboardEvent) {
    const tabs = [...this.#tabs.children] as HTMLElement[];
    const at = tabs.indexOf(this.#tab!);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const tab = tabs.at(to % tabs.length)!;
    tab.focus();
    // Not an entry each, or "back" would take as many presses.
    this.#choose(tab.id.slice('tab-'.length), false);
  }

  /** Makes a list, and shows it or, if an item is given, puts that on it. */
  async newList(item?: Item): Promise<List | undefined> {
    const { say, wishlist } = this;
    const name = await this.ask(say('newList'), say('create'), {
      value: '',
      label: say('listName'),
    });
    if (!name) return undefined;
    return this.attempt(async () => {
      const list = await wishlist.lists.create({ name });
      this.lists.push(list);
      if (item) await this.put(item, list.id);
      else {
        this.#choose(list.id);
        this.#tab?.focus();
      }
      return list;
    });
  }

  #listOptions() {
    const { say, wishlist } = this;
    const list = this.lists.find(({ id }) => id === this.#list);
    if (!list) return;
    const choice = (text: string, act: () => void, grave = false) =>
      h(grave ? 'button.danger' : 'button.plain', { onclick: () => (dialog.close(), act()) }, text);
    const rename = async () => {
      const question = { value: list.name, label: say('listName') };
      const name = await this.ask(say('rename'), say('save'), question);
      if (name) this.attempt(() => wishlist.lists.update(list.id, { name }));
    };
    const stop = async () => {
      if (!(await this.ask(`${say('stop')}?`, say('stop'), { text: say('stopText'), grave: true })))
        return;
      await this.attempt(async () => {
        const shares = sharesOf(wishlist, list.id);
        for (const { id } of await shares.list()) await shares.delete(id);
        this.toast(say('stopped'));
      });
    };
    const remove = async () => {
      const title = say('deleteSure', { name: list.name });
      if (!(await this.ask(title, say('deleteList'), { text: say('deleteText'), grave: true })))
        return;
      await this.attempt(async () => {
        await wishlist.lists.delete(list.id);
        this.lists = this.lists.filter(({ id }) => id !== list.id);
        this.#choose('', false);
        this.#tab?.focus();
      });
    };
    const dialog = this.dialog(
      list.name,
      choice(say('rename'), rename),
      this.#shared && choice(say('stop'), stop),
      choice(say('deleteList'), remove, true),
    );
  }

  /** Hands the link to the system's share sheet, or copies it; it is not shown. */
  async #shareIt() {
    const { say, wishlist } = this;
    const list = this.lists.find(({ id }) => id === this.#list)!;
    const page = this.getAttribute('shared-page') ?? `${wishlist.base}/shared#{token}`;
    const shared = await this.attempt(() => share(wishlist, list, { page }));
    if (!shared || shared.sheet) return;
    const copy = async () => {
      await navigator.clipboard.writeText(shared.url);
      this.toast(say('linkCopied'));
    };
    // The press may be too long ago by now, so that it takes another one.
    copy().catch(() => this.toast(say('linkReady'), say('copyLink'), () => this.attempt(copy)));
  }

  #setNotices() {
    const notices = this.#notices.checked;
    this.attempt(() => this.wishlist.call('PATCH', 'profile', { body: { notices } }));
  }

  // ------------------------------------------------------------------------------------ items

  /** Puts the item on a list, behind another one or first if that is said. */
  async put(item: Item, list: string, after?: string | null): Promise<void> {
    const path = `lists/${list}/items/${item.id}`;
    const body = after !== undefined && { body: { after } };
    const { data } = await this.wishlist.call<{ data: Item }>('PUT', path, { ...body });
    this.wishlist.wrote({ items: [data], lists: [list] });
  }

  async takeOff(item: Item, list: string): Promise<void> {
    await this.wishlist.call('DELETE', `lists/${list}/items/${item.id}`);
    const listIds = item.listIds.filter((id) => id !== list);
    this.wishlist.wrote({ items: [{ ...item, listIds }], lists: [list] });
  }

  /** Removes an item, and offers to put it back as it was. */
  takeAway(card: Card<Item>) {
    const { say, wishlist } = this;
    const { item, name } = card;
    const { nextElementSibling: next, previousElementSibling: last } = card.node;
    const near = (next ?? last)?.querySelector<HTMLElement>('.options');
    this.#items = this.#items.filter(({ id }) => id !== item.id);
    this.#all--;
    this.#draw();
    (near ?? this.#tab)?.focus();
    const places = new Map<string, string | null>();
    const removed = this.attempt(async () => {
      for (const list of item.listIds)
        places.set(list, before((await this.#itemsOf(list)).items, item));
      await wishlist.items.delete(item.id);
    });
    const back = async () => {
      const { productId, variantId = null, quantity, tags, note = null } = item;
      const again = await wishlist.items.create({ productId, variantId, quantity, tags, note });
      for (const [list, after] of places) {
        if (!this.lists.some(({ id }) => id === list)) continue;
        // The item before it may be gone as well.
        await this.put(again, list, after).catch(() => this.put(again, list));
      }
      this.toast(say('back', { name }));
    };
    const undo = async () => {
      this.#tab?.focus();
      await removed;
      await this.attempt(back);
    };
    this.toast(say('removed', { name }), say('undo'), undo);
  }

  steps(card: Card<Item>): { earlier: boolean; later: boolean } | undefined {
    if (!this.#list) return undefined;
    const at = this.#items.findIndex(({ id }) => id === card.item.id);
    return { earlier: at > 0, later: at < this.#items.length - 1 };
  }

  /** Moves the item on its list by one. */
  move(card: Card<Item>, step: 1 | -1) {
    const at = this.#items.findIndex(({ id }) => id === card.item.id);
    this.#place(card, at + step);
  }

  #drag(event: PointerEvent, card: Card<Item>) {
    if (event.button) return;
    this.busy++;
    drag(event, card.node, (moved) => {
      this.busy--;
      if (moved) this.#place(card, [...this.grid.children].indexOf(card.node));
      else this.refresh();
    });
  }

  #place(card: Card<Item>, to: number) {
    const { item, name } = card;
    const items = this.#items.filter(({ id }) => id !== item.id);
    items.splice(to, 0, item);
    this.#items = items;
    this.#draw();
    this.announce(this.say('place', { name, n: to + 1, count: items.length }));
    this.attempt(() => this.put(item, this.#list, before(items, item)));
  }
}

/** The id of the item before one on a list; null for the first. */
function before(items: Item[], { id }: Item): string | null {
  return items[items.findIndex((item) => item.id === id) - 1]?.id ?? null;
}
