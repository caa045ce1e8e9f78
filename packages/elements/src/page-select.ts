import { nameOf } from './page-card.js';
import { h, icon, ICONS, type Child } from './page-dom.js';
import type { PageElement } from './page-list.js';
import type { Item, List } from './types.js';

/** Selecting several items, to put them on a list or remove them. */
export class Selection {
  /** The ids of the selected items; undefined while the cards have no boxes. */
  #ids: Set<string> | undefined;

  constructor(readonly page: PageElement) {}

  get on(): boolean {
    return !!this.#ids && !!this.page.items?.[0];
  }

  begin = (): void => {
    this.#set(new Set());
    // The menu's button, which had the focus, is gone.
    this.page.shadowRoot!.querySelector<HTMLElement>('.pick input')?.focus();
  };
  end = (): void => this.#set(undefined);

  /** Ends it without drawing. */
  clear(): void {
    this.#ids = undefined;
  }

  #set(ids: Set<string> | undefined) {
    this.#ids = ids;
    this.page.draw();
  }

  get #items(): Item[] {
    return this.page.items!.filter(({ id }) => this.#ids!.has(id));
  }

  /** Returns the box that selects an item; its label covers the card. */
  box(item: Item): Child {
    const onchange = ({ target }: Event) => {
      this.#ids![(target as HTMLInputElement).checked ? 'add' : 'delete'](item.id);
      this.page.draw();
    };
    const checked = this.#ids!.has(item.id);
    const ariaLabel = nameOf(item, this.page);
    return h('label.pick', {}, h('input', { type: 'checkbox', checked, ariaLabel, onchange }));
  }

  /** Returns the bar with the actions. */
  bar(): Child {
    const { page } = this;
    const { say } = page;
    if (!this.on) return false;
    const n = this.#items.length;
    const all = () => this.#set(new Set(page.items!.map(({ id }) => id)));
    const remove = () => {
      const items = this.#items;
      this.end();
      page.takeAway(items);
    };
    return h(
      'div.selection',
      { role: 'group', ariaLabel: say('select') },
      h('button.icon', { ariaLabel: say('close'), onclick: this.end }, icon(ICONS.close)),
      h('p.count', { role: 'status' }, say('selected', { n })),
      h('button.plain', { onclick: all }, say('selectAll')),
      h('button.plain', { disabled: !n, onclick: () => this.#toList() }, say('onLists')),
      h(
        'button.danger',
        { disabled: !n, onclick: remove },
        say(page.list ? 'remove' : 'removeSelected'),
      ),
    );
  }

  async #toList(): Promise<void> {
    const { page } = this;
    const { say } = page;
    const put = async (list: List) => {
      const chosen = this.#items;
      const { saveAll } = await import('./bulk.js');
      const listIds = [list.id];
      const unmarked = chosen.filter(({ purchased }) => !purchased);
      await saveAll(
        page.wishlist,
        unmarked.map(({ id, productId, variantId = null, product }) => {
          return { id, productId, variantId, product, listIds };
        }),
      );
      // To save these would clear their marks.
      for (const item of chosen) if (item.purchased) await page.put(item, list.id);
      this.end();
      page.toast(say('addedTo', { n: chosen.length, name: list.name }));
    };
    const { returnValue } = await page.sheet(say('onLists'), () => [
      ...page.lists.map(({ id, name }) => {
        return h('button.plain', { key: id, value: id, type: 'submit' }, name);
      }),
      h(
        'button.plain',
        { key: 'new', value: 'new', type: 'submit' },
        icon(ICONS.plus),
        say('newList'),
      ),
    ]);
    const list = page.lists.find(({ id }) => id === returnValue);
    if (list) await page.attempt(() => put(list));
    else if (returnValue) await page.newList(put);
  }
}
