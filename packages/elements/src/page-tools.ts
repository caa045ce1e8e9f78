import { closing, h, icon, ICONS, type Child, type Wanted } from './page-dom.js';
import type { PageElement } from './page-list.js';
import type { List } from './types.js';

const SORTS = ['custom', 'newest', 'oldest', 'price', 'drop', 'title'] as const;
const MANY = 24; // items from which on there is a search
const TYPING = 300; // ms without a key after which the service is asked
const MAX_WORDS = 6; // the service takes 8 terms

/** The row of tools: a search in titles, the order, and a menu. */
export class Tools {
  #text = '';

  constructor(readonly page: PageElement) {}

  /** Ends the search without drawing. */
  clear(): void {
    this.#text = '';
  }

  /** The search as terms of the API's query; empty without one. */
  get terms(): string {
    const words = this.#text.split(/[\s,\p{Cc}]+/u).filter(Boolean);
    return words
      .map((word) => `title:${word}`)
      .slice(0, MAX_WORDS)
      .join(' ');
  }

  row(list: List | undefined, count: number): Child[] {
    const { say, items, selection } = this.page;
    if (!items || selection.on) return [];
    const options = { ariaLabel: say('listOptions'), onclick: () => this.#menu(list, count) };
    return [
      (count > MANY || this.#text) && this.#search(),
      (items[1] || this.#text) && this.#sorting(),
      (list || count) && h('button.icon.menu', options, icon(ICONS.more)),
    ];
  }

  #search(): Wanted {
    const { page } = this;
    const oninput = ({ target }: Event) => {
      this.#text = (target as HTMLInputElement).value;
      page.refresh(TYPING);
    };
    const text = page.say('search');
    const field = { type: 'search', ariaLabel: text, placeholder: text, maxLength: 100, oninput };
    return h('input.field.search', { ...field, value: this.#text });
  }

  #sorting(): Wanted {
    const { page } = this;
    const { say, sort } = page;
    const onchange = ({ target }: Event) => {
      const { value } = target as HTMLSelectElement;
      history.replaceState({ ...history.state, wishlistSort: value }, '');
      page.refresh();
    };
    const options = (page.list ? SORTS : SORTS.slice(1)).map((value) =>
      h(
        'option',
        { key: value, value, selected: value === sort },
        say(value === 'title' ? 'byTitle' : value),
      ),
    );
    return h('select.field.sort', { ariaLabel: say('sort'), onchange }, ...options);
  }

  async #menu(list: List | undefined, count: number): Promise<void> {
    const { page } = this;
    const { say } = page;
    const item = (answer: string, text: string, kind = 'plain') =>
      h(`button.${kind}.${answer}`, closing(answer), text);
    const { returnValue } = await page.sheet(list?.name ?? say('title'), () => [
      h(
        'div.choices',
        {},
        count && item('select', say('select')),
        count && page.hasAttribute('cart') && item('add-all', say('cartAll')),
        item('share', say('share')),
        list && item('rename', say('rename')),
        list && item('delete', say('deleteList'), 'danger'),
      ),
      ...page.notices.choice(),
    ]);
    if (returnValue === 'select') page.selection.begin();
    if (returnValue === 'add-all') await page.addAll();
    if (returnValue === 'share') {
      const sharing = await page.attempt(() => import('./page-share.js'));
      await sharing?.shareList(page, list);
    }
    if (returnValue === 'rename') await page.rename(list!);
    if (returnValue === 'delete') await page.deleteList(list!);
  }
}
