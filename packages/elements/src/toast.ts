// What <wishlist-toast> and the wishlist page show as messages: loaded only by pages with one of them.
import { Device } from './device.js';
import type { WishlistError } from './error.js';
import { signInOf } from './sign-in.js';
import { TOAST } from './texts/en.js';
import type { Say } from './texts/index.js';
import type { Change, Done, Failure, Item, Message } from './types.js';
import type { Wishlist } from './wishlist.js';

const SHOWN = 10_000; // ms
/** ms between the box and its text: screen readers announce only what changes in a status. */
const ANNOUNCED = 50;
const MOST = 3; // messages at once

// The box is in the page's or a dialog's tree, whose rules mustn't reach it.
const STYLE = `:host{all:initial!important;position:fixed!important;z-index:9999!important;inset:auto 0 max(.5rem,env(safe-area-inset-bottom))!important;
display:block!important;width:auto!important;background:none!important;border:0!important;overflow:visible!important;pointer-events:none!important}
:host(.top){inset:.5rem 0 auto!important}
p,img{box-sizing:border-box;margin:0}
div{display:grid;grid-template-columns:minmax(0,1fr);justify-items:center;gap:.5rem;padding-inline:.5rem}
p{position:relative;display:flex;flex-wrap:wrap;gap:0 .6rem;align-items:center;max-width:min(34rem,100%);
padding:.3rem 2.9rem .3rem .9rem;pointer-events:auto;font:.9375rem/1.35 var(--_font);color:var(--wishlist-on-toast,var(--wishlist-surface,#fff));
background:var(--wishlist-toast,var(--wishlist-ink,#222));border-radius:var(--wishlist-radius,.875rem);box-shadow:0 .5rem 2rem rgb(0 0 0/.3),0 0 0 1px rgb(128 128 128/.4)}
:host(:dir(rtl)) p{padding:.3rem .9rem .3rem 2.9rem}
a,button{all:unset;box-sizing:border-box;flex:none;min-width:2.75rem;line-height:2.75rem;text-align:center;cursor:pointer;
font-weight:600;text-decoration:underline;text-underline-offset:.2em}
img{flex:none;width:2.5rem;height:2.5rem;margin-inline-start:-.4rem;object-fit:cover;border-radius:min(var(--wishlist-radius,.4rem),.4rem)}
nav{flex:none;display:flex;gap:.75rem;margin-inline-start:auto}
[part=text]{flex:1 1 11rem;min-width:11rem;margin-block:.4rem;overflow-wrap:anywhere;display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
[part=text]:has([part=more]),[part=text].whole{display:block}
[part=more]{display:block;line-height:1.35;text-align:start;font-weight:400;font-size:.9375em;opacity:.85}
span[part=more]{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
[part=close]{position:absolute;inset:.3rem .15rem auto auto;text-decoration:none}
:host(:dir(rtl)) [part=close]{inset:.3rem auto auto .15rem}
:focus-visible{outline:var(--wishlist-focus,3px solid Highlight);outline-offset:-2px}
@media(prefers-reduced-motion:no-preference){p{transition:translate .22s ease-out,opacity .22s}@starting-style{p{translate:0 2rem;opacity:0}}}
@media(width<40rem){p{width:100%}}
@media(forced-colors:active){p{border:1px solid}}`;

/** The properties that a dialog's tree needn't inherit. */
const PROPERTIES = ['toast', 'on-toast', 'ink', 'surface', 'radius', 'focus'];

interface Row {
  node: HTMLElement;
  items: Item[];
  saved: boolean | undefined;
  renew: Message['renew'];
}

/** The messages of an element. The methods take the events of the wishlist. */
export class Rows {
  readonly #say: Say<keyof typeof TOAST>;
  readonly #device: Device;
  /** A popover of its own, so that it is above dialogs and popovers, and in full screen. */
  readonly #box = document.createElement('div');
  readonly #status = document.createElement('div');
  readonly #rows = new Map<string, Row>();
  #count = 0;
  /** What had the focus last, outside of the messages. */
  #from = focused() as HTMLElement | null;

  constructor(
    readonly element: HTMLElement,
    readonly wishlist: Wishlist,
    signal: AbortSignal,
  ) {
    this.#say = wishlist.texts(element, TOAST, () => {});
    this.#device = new Device(wishlist.base, () => {});
    const box = this.#box;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    const root = box.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet];
    // Screen readers announce a status only if the element is on the page before its text.
    this.#status.role = 'status';
    root.append(this.#status);
    box.popover = 'manual';
    box.setAttribute('exportparts', 'toast,picture,text,more,action,close');
    this.#place();
    wishlist.addEventListener('change', ({ detail }) => this.#changed(detail), { signal });
    document.addEventListener('keydown', this.#key, { signal });
    document.addEventListener('focusin', this.#moved, { signal });
    signal.addEventListener('abort', () => box.remove());
  }

  // ---------------------------------------------------------------------------------- messages

  async done({ saved, items, isNew }: Done) {
    const { element, wishlist } = this;
    if (!items[0] || (saved && (await wishlist.menu))) return;
    if (!saved) return this.#removed(items);
    const say = this.#say;
    const href = element.getAttribute('page') || `${wishlist.base}/`;
    const actions = [{ text: say('open'), href }] as Message['actions'] & {};
    if (isNew) actions.push({ text: say('undo'), act: () => this.#undo(true, items) });
    const hint = this.#hint();
    const second = hint ? { more: say('signInHint'), href: hint } : {};
    const text = say('saved');
    this.toast({ ...about(items), ...second, text, actions, key: 'saved', items, saved });
  }

  /** Removals within the time of a message share it. */
  #removed(items: Item[]) {
    const say = this.#say;
    const all = [...(this.#rows.get('removed')?.items ?? []), ...items];
    const text = all[1] ? say('removedMany', { n: all.length }) : say('removedOne');
    const actions = [{ text: say('undo'), act: () => this.#undo(false, all) }];
    const renew = (left: Item[]) => this.#removed(left);
    this.toast({ ...about(all), text, actions, key: 'removed', items: all, saved: false, renew });
  }

  /** Returns the address of the sign-in page, if the shopper hasn't been asked yet to sign in. */
  #hint(): string | undefined {
    const signIn = signInOf(this.element);
    const { customer, hinted } = this.#device.known;
    if (!signIn || hinted) return undefined;
    this.#device.set({ hinted: true });
    // Signing in helps only visitors.
    return customer === false ? signIn : undefined;
  }

  async #undo(saved: boolean, items: Item[]): Promise<void> {
    const { wishlist } = this;
    try {
      if (saved) return await wishlist.items.delete(items.map(({ id }) => id));
      await (await import('./bulk.js')).saveAgain(wishlist, items);
    } catch (error) {
      this.error({ error, saved, retry: () => this.#undo(saved, items) });
    }
  }

  error({ error, retry, saved }: Failure) {
    const say = this.#say;
    const { code, status } = error as WishlistError;
    const what = say(saved ? 'notRemoved' : 'notSaved') + (status ? '' : ` ${say('unreachable')}`);
    const text =
      code === 'cookies-blocked'
        ? say('cookiesBlocked')
        : code === 'item_limit_reached'
          ? say('full')
          : what;
    this.toast({ text, actions: [{ text: say('tryAgain'), act: retry! }], key: 'failed' });
  }

  /** Another shopper mustn't see, or undo, what this one did. */
  shopper() {
    for (const key of [...this.#rows.keys()]) this.#close(key);
  }

  /** An undo has no use after its product was saved or removed again. */
  #changed({ productId, variantId, saved }: Change) {
    for (const [key, row] of [...this.#rows]) {
      const isStale = (item: Item) =>
        row.saved === !saved &&
        `${item.productId}` === `${productId}` &&
        `${item.variantId ?? ''}` === `${variantId ?? ''}`;
      const left = row.items.filter((item) => !isStale(item));
      if (left.length === row.items.length) continue;
      row.items = left;
      if (!left[0] || row.renew) this.#close(key);
      if (left[0]) row.renew?.(left);
    }
  }

  // ---------------------------------------------------------------------------------- elements

  toast(message: Message & About) {
    const { text, actions = [], items = [], saved, renew, more, href, image } = message;
    const key = message.key ?? `${++this.#count}`;
    const node = document.createElement('p');
    const add = (tag: string, part: string, text: string, href = '', act?: () => unknown) => {
      const node = document.createElement(tag);
      node.part.add(part);
      node.textContent = text;
      if (href) (node as HTMLAnchorElement).href = href;
      if (act) node.onclick = () => void (this.#close(key, node), act());
      return node;
    };
    const words = add('span', 'text', text);
    // What to do mustn't be cut, as a title may.
    words.classList.toggle('whole', !items[0]);
    if (more) words.append(add(href ? 'a' : 'span', 'more', more, href));
    if (image) {
      const picture = add('img', 'picture', '') as HTMLImageElement;
      picture.alt = '';
      picture.referrerPolicy = 'no-referrer';
      picture.onerror = () => void picture.remove();
      picture.src = image;
      node.append(picture);
    }
    node.append(words);
    const group = document.createElement('nav');
    group.role = 'presentation';
    for (const { text, href, act = () => {} } of actions)
      group.append(add(href ? 'a' : 'button', 'action', text, href, act));
    const close = add('button', 'close', '×', '', () => {});
    close.ariaLabel = this.#say('close');
    node.append(group, close);
    node.part.add('toast');
    this.#close(key);
    this.#rows.set(key, { node, items, saved, renew });
    if (this.#rows.size > MOST) this.#close([...this.#rows.keys()][0]!);
    this.#place();
    setTimeout(() => this.#rows.get(key)?.node === node && this.#status.append(node), ANNOUNCED);
    // Messages that are hovered or focused stay.
    const end = () => {
      if (this.#rows.get(key)?.node !== node) return;
      if (node.matches(':hover,:focus-within')) setTimeout(end, SHOWN / 5);
      else this.#close(key);
    };
    setTimeout(end, SHOWN);
  }

  /** Ends a message; if it had the focus, the focus goes to the next one or back. */
  #close(key: string, within?: Element) {
    const { node } = this.#rows.get(key) ?? {};
    if (!node || (within && !node.contains(within))) return;
    const isFocused = node.matches(':focus-within');
    this.#rows.delete(key);
    node.remove();
    if (isFocused) (this.#first ?? this.#from)?.focus();
  }

  get #first() {
    return this.#status.querySelector<HTMLElement>('a,button');
  }

  readonly #key = (event: KeyboardEvent) => {
    const { key } = event;
    const row = [...this.#rows].find(([, { node }]) => node.matches(':focus-within'));
    if (key === 'F8' && this.#first) {
      (row ? this.#from : this.#first)?.focus();
    } else if (key === 'Escape' && row) this.#close(row[0]);
    else return;
    // Escape mustn't close a dialog around it too.
    event.preventDefault();
  };

  /** Moves the box when a dialog was opened or closed, outside of which all is inert. */
  readonly #moved = (event: Event) => {
    const path = event.composedPath();
    if (!path.includes(this.#box)) this.#from = path[0] as HTMLElement;
    const isBehind = modal() !== this.#box.closest('dialog');
    if (this.#rows.size && isBehind) this.#place();
  };

  readonly #place = () => {
    const box = this.#box;
    const { element } = this;
    const dialog = modal();
    const home = dialog ?? element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const isPlaced = box.parentNode === home;
    if (isPlaced && this.#status.matches(':focus-within')) return;
    if (!isPlaced) home.append(box);
    const style = getComputedStyle(element);
    for (const name of PROPERTIES)
      box.style.setProperty(`--wishlist-${name}`, style.getPropertyValue(`--wishlist-${name}`));
    box.style.setProperty('--_font', style.fontFamily);
    box.classList.toggle('top', !!dialog);
    dialog?.addEventListener('close', this.#place, { once: true });
    // Shown again, it is above what was opened since.
    if ('popover' in HTMLElement.prototype && box.isConnected) {
      box.hidePopover();
      box.showPopover();
    }
  };
}

type About = { more?: string | undefined; href?: string; image?: string | undefined };

/** Returns the title and picture of the product, if the items are of one. */
function about([item, another]: Item[]): About {
  const { product } = item!;
  if (another) return {};
  const own = ['https:', `${location.origin}/`];
  const image = own.some((start) => product?.image?.startsWith(start)) ? product!.image : '';
  return { more: product?.title, image };
}

/** Returns the focused element, also inside of shadow trees. */
function focused(): Element | null {
  let node = document.activeElement;
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  return node;
}

/** Returns the modal dialog that has the focus or, without one, the page's last. */
function modal(): Element | null {
  const open = CSS.supports('selector(:modal)') ? 'dialog:modal' : 'dialog[open]';
  let node = focused();
  while (node && !node.matches(open))
    node = node.parentElement ?? ((node.getRootNode() as ShadowRoot).host || null);
  return node ?? [...document.querySelectorAll(open)].at(-1) ?? null;
}
