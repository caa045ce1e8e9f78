// The menu of a heart with `choose-list`: the shopper's lists as checkboxes, and a new one. Hearts
// load this module at the first press that needs it.
import { coloursOf, draw, h, icon, ICONS, type Child } from './page-dom.js';
import { CHOOSE } from './texts/en.js';
import type { Say } from './texts/index.js';
import type { Item, List, Product } from './types.js';
import type { Wishlist } from './wishlist.js';

const STYLE = `:host{position:fixed;inset:auto;z-index:9;box-sizing:border-box;margin:0;padding:.8rem;border:1px solid var(--wishlist-line,rgb(128 128 128/.5));overflow:auto;
width:max-content;min-width:min(15rem,100vw - 1rem);max-width:min(22rem,100vw - 1rem);max-height:min(26rem,100vh - 1rem);
overscroll-behavior:contain;border-radius:var(--wishlist-radius,.875rem);background:var(--wishlist-surface,var(--_page,Canvas));
color:var(--wishlist-ink,var(--_text,CanvasText));font-size:1rem;line-height:1.3;text-align:start;white-space:normal;cursor:auto;
box-shadow:0 .5rem 2.5rem rgb(0 0 0/.3)}
*{box-sizing:border-box}
:focus-visible{outline:var(--wishlist-focus,3px solid Highlight);outline-offset:2px}
[role=dialog]{outline:0}
p{margin:0 0 .3rem;font-weight:600}
p~p{font-weight:400}
.saved:before{content:"♥ "/"";color:var(--wishlist-color-saved,#c2183c)}
label,button{display:flex;align-items:center;gap:.75rem;min-height:var(--wishlist-target,2.75rem);cursor:pointer;overflow-wrap:anywhere}
label{padding-block:.3rem}
.new{margin-block-start:.3rem}
input{flex:none;margin:0}
input[type=checkbox]{width:1.2rem;height:1.2rem;accent-color:var(--wishlist-accent,currentColor)}
button,.field{border:1px solid var(--wishlist-line,rgb(128 128 128/.5));border-radius:var(--wishlist-radius,99rem);padding:.3rem 1rem;
background:none;color:inherit;font:inherit}
button:hover{border-color:currentColor}
.remove{color:var(--wishlist-danger,light-dark(#b4122f,#ff8b9d))}
.done{margin-inline-start:auto;background:var(--wishlist-accent,CanvasText);color:var(--wishlist-on-accent,Canvas)}
svg{width:1.15rem;fill:none;stroke:currentColor;stroke-width:1.7;stroke-linecap:round}
.row{display:flex;flex-wrap:wrap;gap:.5rem;margin-block-start:.5rem}
.field{flex:1 1 8rem;min-width:0;min-height:var(--wishlist-target,2.75rem);border-radius:var(--wishlist-radius,.6rem)}
@media(width<40rem){:host{inset:auto 0 0!important;width:auto;max-width:none;max-height:85vh;border-radius:var(--wishlist-radius,1.2rem) var(--wishlist-radius,1.2rem) 0 0;
padding:1.2rem 1.2rem max(1.2rem,env(safe-area-inset-bottom));box-shadow:0 0 0 100vmax rgb(0 0 0/.45)}}`;

export interface Chooser {
  wishlist: Wishlist;
  /** What the heart stands for. Not named `product`, which the build shortens in wishwell.js. */
  target: Product;
  /** The heart's button, which is beside the menu and gets the focus back. */
  button: HTMLElement;
  /** With a press that saves: resolves when the product is saved; rejects if it can't be. */
  saved?: Promise<unknown> | undefined;
}

let sheet: CSSStyleSheet | undefined;

/** The open menus, by the heart's button; a promise while the product is being saved. */
const menus = new Map<HTMLElement, Menu | Promise<unknown>>();

/** Opens the menu beside the heart, or closes it. Resolves to whether it is open. */
export function toggleMenu(chooser: Chooser): unknown {
  const { button } = chooser;
  let menu = menus.get(button);
  if (menu instanceof Menu) return menu.close();
  if (!menu) menus.set(button, (menu = open(chooser)));
  return menu;
}

/** Opens the menu; after a save only if the shopper has a list. */
async function open(chooser: Chooser): Promise<unknown> {
  const { wishlist, button, saved } = chooser;
  const both = Promise.all([saved && listsOf(wishlist), saved]);
  const [lists = []] = await both.catch(() => []);
  menus.delete(button);
  return button.isConnected && (!saved || lists[0]) && new Menu(chooser, lists).open();
}

/** Returns all lists, the oldest first. */
async function listsOf(wishlist: Wishlist, signal?: AbortSignal): Promise<List[]> {
  const lists: List[] = [];
  for await (const list of wishlist.lists.all({ limit: 250, signal })) lists.unshift(list);
  return lists;
}

class Menu {
  readonly #menu = document.createElement('div');
  readonly #root = this.#menu.attachShadow({ mode: 'open' });
  /** Inside of its box, because Tab skips the content of a host with a tabindex. */
  readonly #dialog = document.createElement('div');
  readonly #heart: Element;
  readonly #say: Say<keyof typeof CHOOSE>;
  readonly #controller = new AbortController();
  readonly #signal = this.#controller.signal;
  #items: Item[] = [];
  #loading = true;
  #naming = false;
  #failed = false;
  /** The changes, which run one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly given: Chooser,
    public lists: List[],
  ) {
    const { wishlist, button } = given;
    this.#heart = (button.getRootNode() as ShadowRoot).host;
    this.#say = wishlist.texts(this.#heart, CHOOSE, this.#show);
    if (!sheet) (sheet = new CSSStyleSheet()).replaceSync(STYLE);
    const colours = new CSSStyleSheet();
    colours.replaceSync(`:host{${coloursOf(document.body)}}`);
    this.#root.adoptedStyleSheets = [sheet, colours];
    this.#root.append(this.#dialog);
  }

  open() {
    const { button } = this.given;
    const menu = this.#menu;
    const dialog = this.#dialog;
    dialog.role = 'dialog';
    dialog.tabIndex = -1;
    menu.part.add('menu');
    this.#listen();
    button.after(menu);
    // In the top layer, the menu isn't cut off by a card's `overflow`.
    if ('popover' in menu) {
      menu.popover = 'manual';
      menu.showPopover();
    }
    menus.set(button, this);
    button.ariaExpanded = 'true';
    this.#show();
    dialog.focus({ preventScroll: true });
    this.#work(this.#load);
    return true;
  }

  close(focus = false) {
    const { button, wishlist } = this.given;
    if (this.#signal.aborted) return;
    this.#controller.abort();
    menus.delete(button);
    wishlist.menu = undefined;
    button.ariaExpanded = 'false';
    if (focus) button.focus();
  }

  // ---------------------------------------------------------------------------------- changes

  /** Runs a change after those before it; a failure is shown in the menu. */
  #work(act: () => Promise<unknown>) {
    const done = () => act().then(() => (this.#failed = false));
    const fail = () => (this.#failed = true);
    this.#last = this.#last.then(done).catch(fail).then(this.#show);
  }

  readonly #load = async () => {
    const signal = this.#signal;
    const { wishlist, target } = this.given;
    const { productId, variantId, match } = target;
    const found: Item[] = [];
    const variant = match === 'product' ? undefined : variantId;
    for await (const item of wishlist.items.all({ query: `product:${productId}`, signal }))
      if (!variant || !item.variantId || `${item.variantId}` === `${variant}`) found.push(item);
    this.lists = await listsOf(wishlist, signal);
    [this.#items, this.#loading] = [found, false];
  };

  /** Puts the saved variants on the list, or takes them off. */
  async #put(id: string, on: boolean) {
    const { items } = this.given.wishlist;
    for (const [at, item] of this.#items.entries()) {
      const others = item.listIds.filter((other) => other !== id);
      const options = { signal: this.#signal };
      this.#items[at] = await items.setLists(item.id, on ? [...others, id] : others, options);
    }
  }

  readonly #create = () => {
    const listName = this.#find<HTMLInputElement>('.field').value.trim();
    if (!listName) return;
    this.#naming = false;
    this.#work(async () => {
      // Not by saving again, because that clears the mark of items that were bought.
      await this.#load();
      const alike = this.lists.find(({ name }) => name.toLowerCase() === listName.toLowerCase());
      const { id } = alike ?? (await this.given.wishlist.lists.create({ name: listName }));
      await this.#put(id, true);
      await this.#load();
    });
    this.#show();
    this.#find('.new').focus();
  };

  readonly #remove = () => {
    const { wishlist, target } = this.given;
    this.close(true);
    // A failure is reported by the wishlist's event `error`.
    wishlist.remove(target);
  };

  // --------------------------------------------------------------------------------- elements

  #find<Kind extends HTMLElement>(selector: string): Kind {
    return this.#root.querySelector<Kind>(selector)!;
  }

  readonly #show = () => {
    if (this.#signal.aborted) return;
    const say = this.#say;
    const dialog = this.#dialog;
    const { saved } = this.given;
    const title = say(saved ? 'saved' : 'onLists');
    draw(dialog, [
      h(saved ? 'p.saved' : 'p', {}, title),
      saved && h('p', {}, say('onLists')),
      ...this.lists.map((list) => this.#choice(list)),
      this.#newList(),
      this.#failed && h('p.failed', { role: 'alert' }, say('failed')),
      h(
        'div.row',
        {},
        h('button.remove', { onclick: this.#remove, disabled: this.#loading }, say('remove')),
        h('button.done', { onclick: () => this.close(true) }, say('done')),
      ),
    ]);
    dialog.ariaLabel = title;
    dialog.ariaBusy = `${this.#loading}`;
    this.#place();
  };

  #choice({ id, name }: List): Child {
    const items = this.#items;
    const on = items.filter(({ listIds }) => listIds.includes(id)).length;
    const onchange = ({ target }: Event) => {
      const { checked } = target as HTMLInputElement;
      this.#work(() => this.#put(id, checked));
    };
    const state = {
      checked: on > 0 && on === items.length,
      indeterminate: on > 0 && on < items.length,
    };
    return h('label', { key: id }, h('input', { type: 'checkbox', ...state, onchange }), name);
  }

  #newList(): Child {
    const say = this.#say;
    if (this.#naming) {
      const onkeydown = (event: KeyboardEvent) => {
        if (event.key !== 'Enter' || event.isComposing) return;
        // Or else the key would also press the button that gets the focus.
        event.preventDefault();
        this.#create();
      };
      return h(
        'div.row',
        { key: 'name' },
        h('input.field', { ariaLabel: say('listName'), maxLength: 255, onkeydown }),
        h('button', { onclick: this.#create }, say('create')),
      );
    }
    const onclick = () => {
      this.#naming = true;
      this.#show();
      this.#find('.field').focus();
    };
    return h('button.new', { onclick, disabled: this.#loading }, icon(ICONS.plus), say('newList'));
  }

  /** Puts the menu below the heart, or above it if there is more room, inside of the window. */
  readonly #place = () => {
    const menu = this.#menu;
    const at = this.given.button.getBoundingClientRect();
    const { style } = menu;
    style.left = style.top = '0';
    // Not 0 inside of a transformed element, if the browser has no popovers.
    const { left, top, width, height } = menu.getBoundingClientRect();
    const [wide, high] = [document.documentElement.clientWidth, innerHeight];
    const right = getComputedStyle(menu).direction === 'rtl';
    const x = right ? at.right - width : at.left;
    const below = at.bottom + GAP + height < high || at.top < height + GAP;
    const y = below ? at.bottom + GAP : at.top - GAP - height;
    style.left = `${Math.max(GAP, Math.min(x, wide - width - GAP)) - left}px`;
    style.top = `${Math.max(GAP, Math.min(y, high - height - GAP)) - top}px`;
  };

  // ----------------------------------------------------------------------------------- events

  #listen() {
    const { wishlist, button } = this.given;
    const menu = this.#menu;
    const signal = this.#signal;
    signal.addEventListener('abort', () => menu.remove());
    menu.addEventListener('click', (event) => {
      // A menu inside of a link must not follow it, and a press is none of the page's.
      event.stopPropagation();
      const target = event.composedPath()[0] as Element;
      if (target.matches('input')) return;
      event.preventDefault();
      target.closest('label')?.querySelector('input')!.click();
    });
    menu.addEventListener('mousedown', (event) => {
      // Or else Firefox gives the focus to a link around the heart, which closes the menu.
      if (!(event.composedPath()[0] as Element).matches('input')) event.preventDefault();
    });
    const press = (event: Event) => this.#press(event as KeyboardEvent);
    this.#heart.addEventListener('keydown', press, { signal });
    menu.addEventListener('focusout', ({ relatedTarget }) => {
      if (relatedTarget && relatedTarget !== button && relatedTarget !== menu) this.close();
    });
    const outside = (event: Event) => event.composedPath().includes(this.#heart) || this.close();
    document.addEventListener('pointerdown', outside, { signal, capture: true });
    for (const type of ['scroll', 'resize'])
      addEventListener(type, this.#place, { signal, capture: true, passive: true });
    const close = () => this.close();
    wishlist.addEventListener('shopper', close, { signal } as AddEventListenerOptions);
  }

  #press(event: KeyboardEvent) {
    const root = this.#root;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') this.close(true);
    else if (step) {
      const stops = [...root.querySelectorAll<HTMLElement>('input,button:not(:disabled)')];
      const next = stops.indexOf(root.activeElement as HTMLElement) + step;
      stops.at(Math.max(next, -1) % stops.length)!.focus();
    } else return;
    // Neither a dialog around the heart nor the page may use the key too.
    event.preventDefault();
    event.stopPropagation();
  }
}

const GAP = 8; // CSS pixels between the menu, the heart and the window's edge
