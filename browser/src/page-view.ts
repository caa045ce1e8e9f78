import { Card, skeleton, type Looks } from './page-card.js';
import { h, icon, ICONS, type Child } from './page-dom.js';
import { STYLE } from './page-style.js';
import { languageOf, textsOf, type Say } from './page-text.js';
import type { WishlistError } from './error.js';
import type { Item, SharedItem } from './types.js';
import type { Wishlist } from './wishlist.js';

/** Cards that are shown at first, and that come with each "Show more". */
export const STEP = 48;
const SKELETONS = 8;

interface Question {
  text?: string;
  /** With a value it asks for a text or, with `most`, for a number from 1. */
  value?: string;
  label?: string;
  most?: number;
  grave?: boolean;
}

// A server that renders the page has no elements.
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);
let style: CSSStyleSheet | undefined;

/** What both pages have: cards, dialogs, messages, and when to read again. */
export abstract class View<W extends Item | SharedItem> extends Base implements Looks {
  abstract readonly wishlist: Wishlist;
  say!: Say;
  /** Whether its texts are there. */
  protected ready = false;
  locale = '';
  protected readonly root = this.attachShadow({ mode: 'open' });
  protected readonly grid = h('ul.grid', { role: 'list' });
  protected readonly cards = new Map<string, Card<W>>();
  /** In place of the cards: nothing is there, or it could not be read. */
  protected readonly blank = h('div.blank');
  protected readonly notice = h('div.notice', { role: 'status' });
  protected readonly showMore = h('button.show-more.plain', { onclick: () => this.more() });
  /** How many cards are wanted. */
  protected wanted = STEP;
  /** Changes and drags that are under way; meanwhile nothing is read. */
  protected busy = 0;
  protected leaving = new AbortController();
  #turn = 0;
  #begun = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #live = h('p', { className: 'unseen', role: 'status' });
  readonly #toast = h('div.toast', { role: 'status' });
  readonly #sentinel =
    globalThis.IntersectionObserver &&
    new IntersectionObserver((entries) => entries.at(-1)!.isIntersecting && this.more(), {
      rootMargin: '800px',
    });

  get productUrl(): string | null {
    return this.getAttribute('product-url');
  }

  static readonly observedAttributes = [
    ...['lang', 'locale', 'texts', 'product-url', 'cart', 'list', 'shared-page', 'shop-url'],
    ...['token', 'own-page'],
  ];

  /** Builds the page, once its texts are there. */
  protected abstract build(): Child[];
  /** Reads what the page shows; what it returns draws that. */
  protected abstract read(): Promise<() => void>;
  protected abstract make(item: W): Card<W>;
  protected abstract more(): void | Promise<void>;
  /** What gets the focus when what had it is gone. */
  protected abstract home(): HTMLElement | null;

  connectedCallback() {
    const { signal } = (this.leaving = new AbortController());
    const again = () => this.refresh();
    this.wishlist.addEventListener('lists', again, { signal });
    this.wishlist.addEventListener('shopper', () => this.clear(), { signal });
    for (const type of ['online', 'offline'])
      addEventListener(type, () => (this.tell(), navigator.onLine && again()), { signal });
    this.#begin();
  }

  disconnectedCallback() {
    this.leaving.abort();
    this.#sentinel?.disconnect();
  }

  attributeChangedCallback(_: string, was: string | null, now: string | null) {
    if (was !== now && this.isConnected && this.ready) this.#begin();
  }

  async #begin() {
    if (!style) {
      style = new CSSStyleSheet();
      style.replaceSync(STYLE);
    }
    this.root.adoptedStyleSheets = [style];
    this.locale = this.getAttribute('locale') || languageOf(this);
    const [begun, turn] = [++this.#begun, ++this.#turn];
    // Asked for before the texts are there, so that neither waits for the other.
    const first = this.#read();
    const say = await textsOf(this);
    if (begun !== this.#begun) return;
    this.say = say;
    this.ready = true;
    this.showMore.textContent = say('showMore');
    this.cards.clear();
    this.root.replaceChildren(h('div.page', ...this.build()), this.#toast, this.#live);
    this.tell();
    this.wait();
    const draw = await first;
    if (begun === this.#begun && turn === this.#turn) this.#draw(draw);
  }

  #read(): Promise<() => void> {
    return this.read().catch((error) => () => this.fail(error));
  }

  /** Shows cards that say that others are coming. */
  protected wait(count = SKELETONS) {
    this.cards.clear();
    this.blank.hidden = this.showMore.hidden = true;
    this.grid.hidden = false;
    this.grid.ariaBusy = 'true';
    this.grid.replaceChildren(
      ...Array.from({ length: Math.min(count, SKELETONS) }, () => skeleton(this.hasCart)),
    );
    this.announce(this.say('loading'));
  }

  /** Reads again, soon: several events of one change become one reading. */
  protected async refresh() {
    if (!this.ready) return;
    const turn = ++this.#turn;
    await new Promise((resolve) => setTimeout(resolve, 30));
    if (turn !== this.#turn || this.busy || !this.isConnected) return;
    const draw = await this.#read();
    if (turn === this.#turn && !this.busy) this.#draw(draw);
  }

  /** Draws, and gives the focus back to what still is there. */
  #draw(draw: () => void) {
    const { activeElement } = this.root;
    draw();
    if (activeElement?.isConnected && this.root.activeElement !== activeElement)
      (activeElement as HTMLElement).focus({ preventScroll: true });
  }

  protected fill(items: W[], more: boolean) {
    const first = this.grid.ariaBusy === 'true';
    if (first) {
      this.grid.replaceChildren();
      this.announce('');
    }
    this.grid.ariaBusy = 'false';
    const gone = new Set(this.cards.keys());
    let place = this.grid.firstChild;
    for (const item of items) {
      gone.delete(item.id);
      const known = this.cards.get(item.id);
      const card = known ?? this.make(item);
      // Of thousands, those that did not change cost nothing.
      if (known?.item !== item) card.show(item);
      this.cards.set(item.id, card);
      if (card.node === place) place = place.nextSibling;
      else this.grid.insertBefore(card.node, place);
    }
    for (const id of gone) {
      this.cards.get(id)!.node.remove();
      this.cards.delete(id);
    }
    this.grid.hidden = !items.length;
    this.blank.hidden = !!items.length;
    this.showMore.hidden = !more;
    // Observed anew, it tells again if it still can be seen.
    this.#sentinel?.disconnect();
    if (more) this.#sentinel?.observe(this.showMore);
    this.tell();
  }

  /** What was shown stays; without anything, there is a button to try again. */
  protected fail(error: WishlistError) {
    if (this.cards.size) return this.tell(error);
    this.grid.ariaBusy = 'false';
    this.grid.hidden = true;
    this.announce('');
    const again = () => (this.wait(), this.refresh());
    this.state(ICONS.picture, this.say('error'), '', this.say('tryAgain'), again);
  }

  /** Shows a state in place of cards, with what can be done. */
  protected state(
    path: string,
    title: string,
    text: string,
    label: string,
    act?: string | (() => void),
  ) {
    this.blank.hidden = false;
    // What is shown already may have the focus.
    if (this.blank.textContent === title + text + label) return;
    this.blank.replaceChildren(icon(path), title && this.heading(1, 'what', title), h('p', text));
    if (typeof act === 'string') this.blank.append(h('a.plain', { href: act }, label));
    else if (act) this.blank.append(h('button.plain', { onclick: act }, label));
  }

  /** Says above the cards that the browser is offline, or that they could not be read again. */
  protected tell(error?: unknown) {
    if (!this.ready) return;
    const key = !navigator.onLine ? 'offline' : error ? 'error' : undefined;
    this.notice.hidden = !key;
    this.notice.replaceChildren(key ? this.say(key) : '');
    if (key === 'error')
      this.notice.append(
        h('button.plain', { onclick: () => this.refresh() }, this.say('tryAgain')),
      );
  }

  /** The shopper has changed: nothing of the one before stays. */
  protected clear() {
    this.closeAll();
    this.toast();
    this.wanted = STEP;
    if (this.ready) this.wait();
    this.refresh();
  }

  protected closeAll() {
    for (const dialog of this.root.querySelectorAll('dialog')) dialog.close();
  }

  /** Makes a change, tells of a failure, and reads again. */
  async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    this.busy++;
    try {
      return await work();
    } catch (error) {
      const { status } = error as WishlistError;
      this.toast(this.say(status === 401 ? 'signIn' : status === 409 ? 'faster' : 'failed'));
      return undefined;
    } finally {
      this.busy--;
      this.refresh();
    }
  }

  /** For screen readers alone. */
  protected announce(text: string) {
    this.#front(this.#live);
    this.#live.textContent = text;
  }

  /** A message, with one thing that may be done. Without a text, it goes. */
  protected toast(text = '', label = '', act: () => void = () => {}) {
    clearTimeout(this.#timer);
    this.#front(this.#toast);
    const done = () => (this.toast(), act());
    this.#toast.replaceChildren();
    if (!text) return;
    const close = { ariaLabel: this.say('close'), onclick: () => this.toast() };
    this.#toast.append(h('span', text));
    if (label) this.#toast.append(h('button.act', { onclick: done }, label));
    this.#toast.append(h('button.icon', close, icon(ICONS.close)));
    const end = () => {
      if (this.#toast.matches(':hover,:focus-within')) this.#timer = setTimeout(end, 3_000);
      else this.toast();
    };
    this.#timer = setTimeout(end, label ? 15_000 : 6_000);
  }

  /** Beside an open dialog nothing can be pressed, nor is it read to anybody. */
  #front(node: HTMLElement) {
    const host = [...this.root.querySelectorAll<HTMLElement>('dialog[open]')].at(-1) ?? this.root;
    if (node.parentNode !== host) host.append(node);
  }

  dialog(title: string, ...content: Child[]): HTMLDialogElement {
    const close = () => dialog.close();
    const dialog = h(
      'dialog.sheet',
      {
        ariaLabel: title,
        onpointerdown: ({ target }: Event) => target === dialog && close(),
        onclose: () => {
          dialog.remove();
          // What had the focus before may be gone.
          if (!this.root.activeElement) this.home()?.focus();
          this.#front(this.#live);
          this.#front(this.#toast);
        },
      },
      h(
        'div.inside',
        h(
          'div.sheet-head',
          h('h2.sheet-title', title),
          h('button.icon', { ariaLabel: this.say('close'), onclick: close }, icon(ICONS.close)),
        ),
        ...content,
      ),
    );
    this.root.append(dialog);
    dialog.showModal();
    return dialog;
  }

  /** Resolves to the answer, or to undefined if there is none. */
  ask(title: string, yes: string, question: Question): Promise<string | undefined> {
    const { text, value, label = title, most, grave } = question;
    const kind = most ? { type: 'number', min: 1, max: most } : { maxLength: 255 };
    const field = { required: true, autofocus: true, ariaLabel: label, ...kind, value };
    const input = value === undefined ? undefined : h('input.field', field);
    const cancel = { onclick: () => dialog.close() };
    const form = h(
      'form.form',
      {
        onsubmit: (event: Event) => {
          event.preventDefault();
          dialog.close('yes');
        },
      },
      text && h('p', text),
      input,
      h(
        'div.row.end',
        h('button.plain', cancel, this.say('cancel')),
        h(grave ? 'button.danger' : 'button.primary', { type: 'submit' }, yes),
      ),
    );
    const dialog = this.dialog(title, form);
    return new Promise((resolve) =>
      dialog.addEventListener('close', () => {
        resolve((dialog.returnValue && (input?.value.trim() ?? 'yes')) || undefined);
      }),
    );
  }

  get hasCart(): boolean {
    return this.hasAttribute('cart');
  }

  /** Only the shop knows whether it comes into the cart, and says so. */
  toCart(item: Item | SharedItem) {
    const detail = { item };
    this.dispatchEvent(new CustomEvent('wishlist-cart', { bubbles: true, composed: true, detail }));
  }

  /** The page around it may have a first heading of its own. */
  heading(below: number, names: string, ...content: Child[]): HTMLHeadingElement {
    const level = (document.querySelector('h1') ? 2 : 1) + below;
    return h(`h${level}.${names}` as 'h1', ...content);
  }
}
