import { skeleton } from './page-card.js';
import { draw, h, icon, ICONS, type Child, type Wanted } from './page-dom.js';
import { STYLE } from './page-style.js';
import { languageOf, textsOf, type Say } from './page-text.js';
import type { WishlistError } from './error.js';
import type { Item, SharedItem } from './types.js';
import type { Wishlist } from './wishlist.js';

/** Cards that are shown at first, and that come with each "Show more". */
const STEP = 48;
const SKELETONS = 8;

interface Question {
  text?: string;
  grave?: boolean;
  /** Properties of the field; without, it is asked for yes or no. */
  field?: object;
}

interface Sheet {
  key: number;
  title: string;
  content: () => Child[];
  closed: (dialog: HTMLDialogElement) => void;
}

// A server that renders the page has no elements.
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);
let opened = 0;

/** What both pages have: cards, dialogs, messages, and when to read again. */
export abstract class View<W extends Item | SharedItem> extends Base {
  static readonly observedAttributes = [
    ...['lang', 'locale', 'texts', 'product-url', 'cart', 'list', 'shared-page', 'shop-url'],
    ...['token', 'own-page'],
  ];

  abstract readonly wishlist: Wishlist;
  say!: Say;
  /** For prices; empty for the browser's own. */
  locale = '';
  /** What is shown; undefined until it was read. */
  items: W[] | undefined;
  /** How many cards are wanted. */
  protected wanted = STEP;
  /** Where more can be read. */
  protected next: string | undefined;
  /** Changes and drags that are under way; meanwhile nothing is read. */
  protected busy = 0;
  protected leaving: AbortController | undefined;
  protected readonly root = this.attachShadow({ mode: 'open' });
  /** Screen readers tell what is written into it only if it was on the page before. */
  readonly #messages = document.createElement('div');
  #said = '';
  #toast: { text: string; label: string; act: () => void } | undefined;
  #sheets: Sheet[] = [];
  #failed = false;
  #turn = 0;
  #soon: ReturnType<typeof setTimeout> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Reads what the page shows; what it returns takes that in. */
  protected abstract read(): Promise<() => void>;
  protected abstract content(): Child[];
  protected abstract card(item: W): Wanted;

  connectedCallback() {
    const { signal } = (this.leaving = new AbortController());
    const { wishlist } = this;
    const style = new CSSStyleSheet();
    style.replaceSync(STYLE);
    this.root.adoptedStyleSheets = [style];
    wishlist.addEventListener('lists', () => this.refresh(), { signal });
    wishlist.addEventListener('shopper', () => this.begin(), { signal });
    addEventListener('offline', () => this.draw(), { signal });
    addEventListener('online', () => (this.draw(), this.refresh()), { signal });
    this.begin();
  }

  disconnectedCallback() {
    this.leaving!.abort();
    this.#turn++;
    clearTimeout(this.#soon);
  }

  attributeChangedCallback(_: string, was: string | null, now: string | null) {
    if (was !== now && this.isConnected && this.leaving) this.begin();
  }

  /** Nothing of what was shown before stays. */
  protected begin() {
    this.locale = this.getAttribute('locale') || languageOf(this);
    this.say = textsOf(this);
    this.#toast = undefined;
    this.empty();
  }

  /** Shows cards that say that others are coming, and reads those. */
  protected empty() {
    for (const dialog of this.root.querySelectorAll('dialog')) dialog.close();
    this.items = undefined;
    this.wanted = STEP;
    this.#failed = false;
    this.announce('');
    this.load();
  }

  // ---------------------------------------------------------------------------------- reading

  protected async load(read = () => this.read()) {
    const turn = ++this.#turn;
    const take = await read().catch((error) => () => this.fail(error));
    if (turn !== this.#turn || this.busy) return;
    this.#failed = false;
    take();
    this.draw();
  }

  /** Reads again, soon: several events of one change become one reading. */
  protected refresh() {
    this.#turn++;
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => this.busy || this.load(), 30);
  }

  /** What was shown stays. */
  protected fail(_: WishlistError) {
    this.#failed = true;
  }

  protected more() {
    this.wanted += STEP;
    this.draw();
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

  // ---------------------------------------------------------------------------------- drawing

  /** Draws the page as it is now. */
  protected draw() {
    const { root } = this;
    const active = root.activeElement as HTMLElement | null;
    const around = active?.closest('.card, .row');
    const near = [around, around?.nextElementSibling, around?.previousElementSibling];
    draw(this.#messages, this.#messagesNow());
    draw(root, [
      h('div.page', {}, ...this.content()),
      ...this.#sheets.map((sheet) => this.#drawn(sheet)),
      !this.#sheets.length && this.#messages,
    ]);
    if (!active || (active === root.activeElement && !active.matches(':disabled'))) return;
    // What had the focus was moved, or is gone.
    const next = near.find((node) => node?.isConnected)?.querySelector('a[href], button:enabled');
    const usable = active.isConnected && !active.matches(':disabled');
    ((usable ? active : (next ?? this.home)) as HTMLElement | null)?.focus({ preventScroll: true });
  }

  /** What gets the focus when what had it is gone. */
  protected get home(): HTMLElement | null {
    return this.root.querySelector('[aria-selected=true], .copy');
  }

  /** The cards, or what is in their place; `none` if there are none. */
  protected cards(none: Child, coming = SKELETONS): Child[] {
    const { say, items } = this;
    if (!items && this.#failed) {
      const again = h('button.plain', { onclick: () => this.empty() }, say('tryAgain'));
      return [this.blank(ICONS.picture, say('error'), '', again)];
    }
    if (items && !items.length) return [none];
    const cards = items
      ? items.slice(0, this.wanted).map((item) => this.card(item))
      : Array(Math.min(coming, SKELETONS)).fill(skeleton(this.hasAttribute('cart')));
    const more = items && (this.next || items.length > this.wanted);
    return [
      h('ul.grid', { role: 'list', ariaBusy: `${!items}` }, ...cards),
      more && h('button.show-more.plain', { onclick: () => this.more() }, say('showMore')),
    ];
  }

  /** A state in place of cards, with what can be done. */
  protected blank(path: string, title: string, text: string, action?: Child): Wanted {
    const what = title && this.heading(1, 'what', title);
    return h('div.blank', {}, icon(path), what, text && h('p', {}, text), action);
  }

  /** Says above the cards that the browser is offline, or that they could not be read again. */
  protected notice(): Wanted {
    const { say } = this;
    const failed = this.#failed && this.items && navigator.onLine;
    const again = h('button.plain', { onclick: () => this.refresh() }, say('tryAgain'));
    const text = navigator.onLine ? failed && say('error') : say('offline');
    return h('div.notice', { role: 'status' }, text, failed && again);
  }

  /** The page around it may have a first heading of its own. */
  heading(below: number, names: string, ...content: Child[]): Wanted {
    return h(`h${(document.querySelector('h1') ? 2 : 1) + below}.${names}`, {}, ...content);
  }

  // ----------------------------------------------------------------------- messages and dialogs

  /** For screen readers alone. */
  protected announce(text: string) {
    this.#said = text;
    this.draw();
  }

  /** A message, with one thing that may be done. Without a text, it goes. */
  protected toast(text = '', label = '', act = () => {}) {
    clearTimeout(this.#timer);
    this.#toast = undefined;
    this.draw();
    if (!text) return;
    this.#toast = { text, label, act };
    this.draw();
    const end = () => {
      if (!this.#messages.querySelector(':is(:hover, :focus)')) this.toast();
      else this.#timer = setTimeout(end, 3_000);
    };
    this.#timer = setTimeout(end, label ? 15_000 : 6_000);
  }

  #messagesNow(): Child[] {
    const { say } = this;
    const said = this.items || this.#failed ? this.#said : say('loading');
    const { text, label, act } = this.#toast ?? {};
    const close = { ariaLabel: say('close'), onclick: () => this.toast() };
    return [
      h('p.unseen', { role: 'status' }, said),
      h(
        'div.toast',
        { role: 'status' },
        text && h('span', {}, text),
        label && h('button.act', { onclick: () => (this.toast(), act!()) }, label),
        text && h('button.icon', close, icon(ICONS.close)),
      ),
    ];
  }

  /** Opens a dialog, whose content is drawn with the page; resolves to it when it is closed. */
  sheet(title: string, content: () => Child[]): Promise<HTMLDialogElement> {
    return new Promise((closed) => {
      this.#sheets.push({ key: opened++, title, content, closed });
      this.draw();
      [...this.root.querySelectorAll('dialog')].at(-1)!.showModal();
    });
  }

  #drawn(sheet: Sheet): Wanted {
    const { key, title, content, closed } = sheet;
    const onclose = ({ target }: Event) => {
      this.#sheets = this.#sheets.filter((other) => other !== sheet);
      this.draw();
      closed(target as HTMLDialogElement);
    };
    // Beside it: a press on its backdrop.
    const beside = ({ target }: Event) => target instanceof HTMLDialogElement && target.close();
    return h(
      'dialog.sheet',
      { key, ariaLabel: title, onclose, onpointerdown: beside },
      h(
        'form.inside',
        { method: 'dialog' },
        h(
          'div.sheet-head',
          {},
          h('h2.sheet-title', {}, title),
          h('button.icon', { ariaLabel: this.say('close'), ...closing() }, icon(ICONS.close)),
        ),
        ...content(),
      ),
      // Beside an open dialog nothing can be pressed, nor is it read to anybody.
      sheet === this.#sheets.at(-1) && this.#messages,
    );
  }

  /** Resolves to the answer, or to nothing if there is none. */
  async ask(title: string, yes: string, { text, grave, field }: Question): Promise<string> {
    const always = { required: true, autofocus: true, ariaLabel: title };
    const dialog = await this.sheet(title, () => [
      text && h('p', {}, text),
      field && h('input.field', { ...always, ...field }),
      h(
        'div.row.end',
        {},
        h('button.plain', { ...closing(), autofocus: !field }, this.say('cancel')),
        h(grave ? 'button.danger' : 'button.primary', { type: 'submit', value: 'yes' }, yes),
      ),
    ]);
    return dialog.returnValue && (dialog.querySelector('input')?.value.trim() ?? 'yes');
  }
}

/** Properties of a button that closes the dialog around it, with an answer. */
export const closing = (answer?: string) => ({
  onclick: (event: Event) => (event.currentTarget as Element).closest('dialog')!.close(answer),
});
