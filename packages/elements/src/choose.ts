// The menu of a heart with `choose-list`: the shopper's lists as checkboxes, and a new one. Hearts
// load this module at the first press that needs it.
import { draw, h, icon, ICONS, type Child } from './page-dom.js';
import { CHOOSE } from './texts/en.js';
import type { Item, List, Product } from './types.js';
import type { Wishlist } from './wishlist.js';

const STYLE = `:host{position:fixed;inset:auto;z-index:9;box-sizing:border-box;margin:0;padding:.9rem;border:0;overflow:auto;
width:max-content;min-width:min(15rem,100vw - 1rem);max-width:min(20rem,100vw - 1rem);max-height:min(26rem,100vh - 1rem);
overscroll-behavior:contain;border-radius:var(--wishlist-radius,.875rem);background:var(--wishlist-surface,Canvas);
color:var(--wishlist-ink,CanvasText);font-size:1rem;line-height:1.3;text-align:start;white-space:normal;cursor:auto;
box-shadow:0 .5rem 2.5rem rgb(0 0 0/.3),0 0 0 1px var(--wishlist-line,rgb(128 128 128/.3))}
[role=dialog]{outline:0}
*{box-sizing:border-box}
:focus-visible{outline:var(--wishlist-focus,3px solid Highlight);outline-offset:2px}
p{margin:0 0 .3rem;font-weight:600}
p[role=alert]{font-weight:400}
label,button{display:flex;align-items:center;gap:.75rem;min-height:var(--wishlist-target,2.75rem);cursor:pointer;overflow-wrap:anywhere}
label{padding-block:.3rem}
.new{margin-block-start:.3rem}
input{flex:none;margin:0}
input[type=checkbox]{width:1.2rem;height:1.2rem;accent-color:var(--wishlist-accent,currentColor)}
button,.field{border:1px solid var(--wishlist-line,rgb(128 128 128/.5));border-radius:99rem;padding:.3rem 1rem;
background:none;color:inherit;font:inherit}
button:hover{border-color:currentColor}
svg{width:1.15rem;fill:none;stroke:currentColor;stroke-width:1.7;stroke-linecap:round}
.row{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.5rem;margin-block-start:.5rem}
.field{flex:1 1 8rem;min-width:0;min-height:var(--wishlist-target,2.75rem);border-radius:.6rem}
@media(forced-colors:active){:host{border:1px solid}}`;

export interface Chooser {
  wishlist: Wishlist;
  /** What the heart stands for. Not named `product`, which the build shortens in wishwell.js. */
  target: Product;
  /** The heart's button, which is beside the menu and gets the focus back. */
  button: HTMLElement;
  /** Resolves when the product is saved; rejects if it can't be. */
  saved?: Promise<unknown> | undefined;
  /** Closes the menu. */
  controller: AbortController;
}

let sheet: CSSStyleSheet | undefined;

/** Opens the menu beside the heart, unless it was closed before this module had loaded. */
export function openMenu({
  wishlist,
  target: product,
  button,
  saved = Promise.resolve(),
  controller,
}: Chooser): void {
  const { signal } = controller;
  if (signal.aborted) return;
  if (!sheet) (sheet = new CSSStyleSheet()).replaceSync(STYLE);
  const heart = (button.getRootNode() as ShadowRoot).host;
  const say = wishlist.texts(heart, CHOOSE, show);
  const menu = document.createElement('div');
  const root = menu.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [sheet];
  // The dialog is inside of its box, because Tab skips the content of a host with a tabindex.
  const dialog = document.createElement('div');
  root.append(dialog);
  let lists: List[] = [];
  let items: Item[] = [];
  let [loading, naming, failed] = [true, false, false];

  const close = (focus = false) => {
    if (signal.aborted) return;
    controller.abort();
    if (focus) button.focus();
  };
  signal.addEventListener('abort', () => menu.remove());

  /** Runs changes one after the other; a failure is shown in the menu. */
  let last: Promise<unknown> = saved;
  const work = (act: () => Promise<unknown>) => {
    const done = () => act().then(() => (failed = false));
    const fail = () => (failed = true);
    last = last.then(done).catch(fail).then(show);
  };

  const load = async () => {
    const found: Item[] = [];
    const { productId, variantId, match } = product;
    const variant = match === 'product' ? undefined : variantId;
    for await (const item of wishlist.items.all({ query: `product:${productId}`, signal }))
      if (!variant || !item.variantId || `${item.variantId}` === `${variant}`) found.push(item);
    const every: List[] = [];
    for await (const list of wishlist.lists.all({ limit: 250, signal })) every.unshift(list);
    [items, lists, loading] = [found, every, false];
  };

  /** Puts the saved variants on the list, or takes them off. */
  const put = async (id: string, on: boolean) => {
    for (const [at, item] of items.entries()) {
      const others = item.listIds.filter((other) => other !== id);
      items[at] = await wishlist.items.setLists(item.id, on ? [...others, id] : others, { signal });
    }
  };

  const create = () => {
    const listName = root.querySelector<HTMLInputElement>('.field')!.value.trim();
    if (!listName) return;
    naming = false;
    work(async () => {
      // Not by saving again, because that clears the mark of items that were bought.
      await load();
      const alike = lists.find(({ name }) => name.toLowerCase() === listName.toLowerCase());
      const { id } = alike ?? (await wishlist.lists.create({ name: listName }));
      await put(id, true);
      await load();
    });
    show();
    root.querySelector<HTMLElement>('.new')!.focus();
  };

  const choice = ({ id, name }: List): Child => {
    const on = items.filter(({ listIds }) => listIds.includes(id)).length;
    const onchange = ({ target }: Event) => {
      const { checked } = target as HTMLInputElement;
      work(() => put(id, checked));
    };
    const state = {
      checked: on > 0 && on === items.length,
      indeterminate: on > 0 && on < items.length,
    };
    return h('label', { key: id }, h('input', { type: 'checkbox', ...state, onchange }), name);
  };

  const newList = (): Child => {
    if (naming) {
      const onkeydown = (event: KeyboardEvent) => {
        if (event.key !== 'Enter' || event.isComposing) return;
        // Or else the key would also press the button that gets the focus.
        event.preventDefault();
        create();
      };
      return h(
        'div.row',
        { key: 'name' },
        h('input.field', { ariaLabel: say('listName'), maxLength: 255, onkeydown }),
        h('button', { onclick: create }, say('create')),
      );
    }
    const onclick = () => {
      naming = true;
      show();
      root.querySelector<HTMLElement>('.field')!.focus();
    };
    return h('button.new', { onclick, disabled: loading }, icon(ICONS.plus), say('newList'));
  };

  const remove = () => {
    close(true);
    // A failure is reported by the wishlist's event `error`.
    wishlist.remove(product);
  };

  function show() {
    if (signal.aborted) return;
    draw(dialog, [
      h('p', {}, say('onLists')),
      ...lists.map(choice),
      newList(),
      failed && h('p.failed', { role: 'alert' }, say('failed')),
      h(
        'div.row.end',
        {},
        h('button.remove', { onclick: remove, disabled: loading }, say('remove')),
        h('button.done', { onclick: () => close(true) }, say('done')),
      ),
    ]);
    dialog.ariaLabel = say('onLists');
    dialog.ariaBusy = `${loading}`;
    place();
  }

  /** Puts the menu below the heart, or above it if there is more room, inside of the window. */
  function place() {
    const at = button.getBoundingClientRect();
    const { style } = menu;
    style.left = style.top = '0';
    // Not 0 inside of a transformed element, if the browser has no popovers.
    const { left, top, width, height } = menu.getBoundingClientRect();
    const [wide, high] = [document.documentElement.clientWidth, window.innerHeight];
    const right = getComputedStyle(menu).direction === 'rtl';
    const x = right ? at.right - width : at.left;
    const below = at.bottom + GAP + height < high || at.top < height + GAP;
    const y = below ? at.bottom + GAP : at.top - GAP - height;
    style.left = `${Math.max(GAP, Math.min(x, wide - width - GAP)) - left}px`;
    style.top = `${Math.max(GAP, Math.min(y, high - height - GAP)) - top}px`;
  }

  dialog.role = 'dialog';
  dialog.tabIndex = -1;
  menu.part.add('menu');
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
  menu.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') close(true);
    else if (step) {
      const stops = [...root.querySelectorAll<HTMLElement>('input,button:not(:disabled)')];
      stops.at((stops.indexOf(root.activeElement as HTMLElement) + step) % stops.length)!.focus();
    } else return;
    // Neither a dialog around the heart nor the page may use the key too.
    event.preventDefault();
    event.stopPropagation();
  });
  menu.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget && relatedTarget !== button && relatedTarget !== menu) close();
  });
  const outside = (event: Event) => event.composedPath().includes(heart) || close();
  document.addEventListener('pointerdown', outside, { signal, capture: true });
  for (const type of ['scroll', 'resize'])
    window.addEventListener(type, place, { signal, capture: true, passive: true });
  wishlist.addEventListener('shopper', () => close(), { signal } as AddEventListenerOptions);

  button.after(menu);
  // In the top layer, the menu isn't cut off by a card's `overflow`.
  if ('popover' in menu) {
    menu.popover = 'manual';
    menu.showPopover();
  }
  button.ariaExpanded = 'true';
  show();
  dialog.focus({ preventScroll: true });
  saved.then(
    () => work(load),
    () => close(),
  );
}

const GAP = 8; // CSS pixels between the menu, the heart and the window's edge
