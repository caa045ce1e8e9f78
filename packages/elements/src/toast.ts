// What <wishlist-toast> shows: a module that only pages with the element load.
import { Device } from './device.js';
import type { WishlistError } from './error.js';
import { signInOf } from './sign-in.js';
import { TOAST } from './texts/en.js';
import type { Say } from './texts/index.js';
import type { Done, Failure, Item, Message } from './types.js';
import type { Wishlist } from './wishlist.js';

const SHOWN = 10_000; // ms

const STYLE = `:host{position:fixed;z-index:9999;inset:auto 0 0;pointer-events:none}
:host([hidden]){display:none}
p{box-sizing:border-box;display:flex;gap:.5em;align-items:center;width:fit-content;max-width:calc(100% - 1rem);margin:.5rem auto;
padding-inline:1em .5em;pointer-events:auto;color:var(--wishlist-on-toast,#fff);background:var(--wishlist-toast,#222);
border:1px solid;border-radius:.5rem}
a,button{all:unset;box-sizing:border-box;min-width:2.75rem;line-height:2.75rem;text-align:center;cursor:pointer;text-decoration:underline}
span{flex:1}[part=close]{text-decoration:none}
:focus-visible{outline:var(--wishlist-focus,3px solid Highlight)}
@media(max-width:30rem){p{width:auto;margin-inline:.5rem}}`;

/** The messages in the element. The methods take the events of the wishlist. */
export class Rows {
  readonly #say: Say<keyof typeof TOAST>;
  readonly #status = document.createElement('div');

  constructor(
    readonly element: HTMLElement,
    readonly wishlist: Wishlist,
  ) {
    this.#say = wishlist.texts(element, TOAST, () => {});
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    // Screen readers announce a status only if the element is on the page before its text.
    this.#status.role = 'status';
    root.replaceChildren(this.#status);
  }

  done({ saved, items, isNew }: Done) {
    const { element, wishlist } = this;
    const say = this.#say;
    const undo = () => this.#undo(saved, items);
    const actions = isNew || !saved ? [{ text: say('undo'), act: undo }] : [];
    if (!saved) {
      const text = items[1] ? say('removedMany', { n: items.length }) : say('removedOne');
      // Each has a row of its own, so that two quick removals can both be undone.
      if (items[0]) this.toast({ text, actions });
      return;
    }
    const href = element.getAttribute('page') || `${wishlist.base}/`;
    const view = { text: say('open'), href };
    this.toast({ text: say('saved'), actions: [view, ...actions], key: 'saved' });
    const signIn = signInOf(element);
    const device = new Device(wishlist.base, () => {});
    const { customer, hinted } = device.known;
    if (!signIn || hinted) return;
    device.set({ hinted: true });
    // Signing in helps only visitors.
    if (customer !== false) return;
    this.toast({ text: say('signInHint'), actions: [{ text: say('signInNow'), href: signIn }] });
  }

  async #undo(saved: boolean, items: Item[]): Promise<void> {
    const { wishlist } = this;
    try {
      if (saved) return await wishlist.items.delete(items.map(({ id }) => id));
      for (const { productId, variantId = null, quantity, tags, note = null, listIds } of items) {
        await wishlist.items.create({ productId, variantId, quantity, tags, note, listIds });
      }
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
    this.#status.replaceChildren();
  }

  toast({ text, actions = [], key = '' }: Message) {
    const row = document.createElement('p');
    const from = document.activeElement as HTMLElement | null;
    const add = (tag: string, part: string, text: string, act?: () => unknown) => {
      const node = document.createElement(tag);
      node.part.add(part);
      node.textContent = text;
      row.append(node);
      node.onclick = act ? () => (close(), act()) : null;
      return node;
    };
    const close = () => {
      const focused = row.matches(':focus-within');
      row.remove();
      if (focused) (this.#status.querySelector<HTMLElement>('a,button') ?? from)?.focus();
    };
    // Rows that are hovered or focused stay.
    const end = () =>
      row.matches(':hover,:focus-within') ? setTimeout(end, SHOWN / 5) : row.remove();
    add('span', 'text', text);
    for (const { text, href, act = () => {} } of actions) {
      const node = add(href ? 'a' : 'button', 'action', text, act);
      if (href) (node as HTMLAnchorElement).href = href;
    }
    add('button', 'close', '×', () => {}).ariaLabel = this.#say('close');
    row.part.add('toast');
    row.onkeydown = ({ key }) => key === 'Escape' && close();
    if (key) this.#status.querySelector(`[data-key="${key}"]`)?.remove();
    row.dataset.key = key;
    this.#status.append(row);
    setTimeout(end, SHOWN);
  }
}
