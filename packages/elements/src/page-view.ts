import { skeleton } from './page-card.js';
import { closing, coloursOf, draw, h, icon, ICONS, type Child, type Wanted } from './page-dom.js';
import { STYLE } from './page-style.js';
import { PAGE } from './texts/en.js';
import { isForeign, languageOf, type Say } from './texts/index.js';
import type { WishlistError } from './error.js';
import type { Rows } from './toast.js';
import type { Item, Message, SharedItem } from './types.js';
import type { Wishlist } from './wishlist.js';

/** Number of cards shown at first, and added by each "Show more". */
const STEP = 48;
const SKELETONS = 8;

interface Question {
  text?: string;
  grave?: boolean;
  /** Properties of the input field; without it, the question is yes or no. */
  field?: object;
}

interface Sheet {
  key: number;
  title: string;
  content: () => Child[];
  closed: (dialog: HTMLDialogElement) => void;
}

// HTMLElement doesn't exist in server-side rendering.
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);
let opened = 0;

/** Base class of both pages: cards, dialogs, messages, and reloading. */
export abstract class View<W extends Item | SharedItem> extends Base {
  static readonly observedAttributes = [
    ...['lang', 'locale', 'texts', 'product-url', 'cart', 'cart-url', 'list', 'shared-page'],
    ...['shop-url', 'sign-in', 'sign-in-return', 'token', 'own-page'],
  ];

  abstract readonly wishlist: Wishlist;
  say!: Say;
  /** Locale for prices; empty for the browser's. */
  locale = '';
  /** The items; undefined until they are loaded. */
  items: W[] | undefined;
  /** Number of cards to show. */
  protected wanted = STEP;
  /** Cursor of the next page, if there is one. */
  protected next: string | undefined;
  /** Number of changes and drags in progress; nothing is reloaded until they end. */
  protected busy = 0;
  protected leaving: AbortController | undefined;
  protected readonly root = this.attachShadow({ mode: 'open' });
  /** Live region. Must be on the page before its text is, or screen readers don't announce it. */
  readonly #messages = document.createElement('div');
  #said = '';
  /** The page's own messages, if the shop has no <wishlist-toast>. */
  #rows: Promise<Rows> | undefined;
  #sheets: Sheet[] = [];
  #failed = false;
  /** Whether the language is loading. */
  #waiting = false;
  #turn = 0;
  #soon: ReturnType<typeof setTimeout> | undefined;

  /** Loads the page's data. Returns a function that stores the data in the element. */
  protected abstract read(): Promise<() => void>;
  protected abstract content(): Child[];
  protected abstract card(item: W): Wanted;

  connectedCallback() {
    const { signal } = (this.leaving = new AbortController());
    const { wishlist } = this;
    const [style, colours] = [new CSSStyleSheet(), new CSSStyleSheet()];
    style.replaceSync(STYLE);
    this.root.adoptedStyleSheets = [style, colours];
    const recolour = () => {
      colours.replaceSync(''); // its own scheme would be taken for the page's
      colours.replaceSync(`:host{${coloursOf(this)}}`);
    };
    recolour();
    // Themes are switched by attributes of the root or the body, or by the system.
    const watcher = new MutationObserver(recolour);
    for (const node of [document.documentElement, document.body])
      watcher.observe(node, { attributes: true });
    signal.addEventListener('abort', () => watcher.disconnect());
    matchMedia('(prefers-color-scheme:dark)').addEventListener('change', recolour, { signal });
    wishlist.addEventListener('lists', () => this.refresh(), { signal });
    wishlist.addEventListener('shopper', () => this.begin(), { signal });
    addEventListener('offline', () => this.draw(), { signal });
    addEventListener('online', () => (this.draw(), this.refresh()), { signal });
    this.begin();
  }

  disconnectedCallback() {
    this.leaving!.abort();
    this.#rows = undefined;
    this.#turn++;
    clearTimeout(this.#soon);
  }

  attributeChangedCallback(_: string, was: string | null, now: string | null) {
    if (was !== now && this.isConnected && this.leaving) this.begin();
  }

  /** Starts over with the current attributes and shopper. */
  protected begin() {
    this.locale = this.getAttribute('locale') || languageOf(this);
    this.say = this.wishlist.texts(this, PAGE, () => {
      this.#waiting = false;
      this.draw();
    });
    this.#waiting = isForeign(this);
    this.#rows?.then((rows) => rows.shopper());
    this.empty();
  }

  /** Shows placeholders, and loads the cards. */
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

  /** Reloads after a short delay, so that several events of one change cause one request. */
  refresh(ms = 30) {
    this.#turn++;
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => this.busy || this.load(), ms);
  }

  /** Handles a failed load. Cards that are shown stay. */
  protected fail(_: WishlistError) {
    this.#failed = true;
  }

  protected more() {
    this.wanted += STEP;
    this.draw();
  }

  /** Runs a change, shows a message (see `toast`) if it fails, and reloads. */
  async attempt<T>(work: () => Promise<T>, more?: Partial<Message>): Promise<T | undefined> {
    this.busy++;
    try {
      return await work();
    } catch (error) {
      const { code, status } = error as WishlistError;
      // Without a status there was no response.
      const byStatus = { 0: 'unreachable', 401: 'signIn', 409: 'faster' } as const;
      const ofStatus = byStatus[(status || 0) as keyof typeof byStatus] ?? 'failed';
      const text = code === 'cookies-blocked' ? 'cookiesBlocked' : ofStatus;
      this.toast(this.say(text), '', undefined, more);
      return undefined;
    } finally {
      this.busy--;
      this.refresh();
    }
  }

  // ---------------------------------------------------------------------------------- drawing

  /** Renders the current state, keeping the focus. */
  draw() {
    const { root } = this;
    // Placeholders in English would flash before the language has loaded.
    if (this.#waiting && !this.items) return;
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
    // The focused element was moved, disabled or removed.
    const next = near.find((node) => node?.isConnected)?.querySelector('a[href], button:enabled');
    const usable = active.isConnected && !active.matches(':disabled');
    ((usable ? active : (next ?? this.home)) as HTMLElement | null)?.focus({ preventScroll: true });
  }

  /** The element to focus if the focused one was removed. */
  protected get home(): HTMLElement | null {
    return this.root.querySelector('[aria-selected=true], .copy');
  }

  /** Returns the cards, placeholders or an error; `none` if there are no items. */
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
      // Cards don't move the placeholders, which are another node.
      h('ul.grid', { key: items && 1, role: 'list', ariaBusy: `${!items}` }, ...cards),
      more && h('button.show-more.plain', { onclick: () => this.more() }, say('showMore')),
    ];
  }

  /** Returns a message in place of cards, with an action. */
  protected blank(path: string, title: string, text: string, action?: Child): Wanted {
    const what = title && this.heading(1, 'what', title);
    return h('div.blank', {}, icon(path), what, text && h('p', {}, text), action);
  }

  /** Returns the notice that the browser is offline or that reloading failed. */
  protected notice(): Wanted {
    const { say } = this;
    const failed = this.#failed && this.items && navigator.onLine;
    const again = h('button.plain', { onclick: () => this.refresh() }, say('tryAgain'));
    const text = navigator.onLine ? failed && say('error') : say('offline');
    return h('div.notice', { role: 'status' }, text, failed && again);
  }

  /** Returns a heading. Its level depends on whether the surrounding page has an <h1>. */
  heading(below: number, names: string, ...content: Child[]): Wanted {
    return h(`h${(document.querySelector('h1') ? 2 : 1) + below}.${names}`, {}, ...content);
  }

  // ----------------------------------------------------------------------- messages and dialogs

  /** Announces a text to screen readers only. */
  protected announce(text: string) {
    this.#said = text;
    this.draw();
  }

  /** Shows a message for some seconds, in the shop's <wishlist-toast> if there is one. */
  toast(text: string, label = '', act = () => {}, more: Partial<Message> = {}) {
    const message = { text, actions: label ? [{ text: label, act }] : [], ...more };
    if (this.wishlist.toast(message)) return;
    const { signal } = this.leaving!;
    this.#rows ??= import('./toast.js').then(({ Rows }) => new Rows(this, this.wishlist, signal));
    this.#rows.then((rows) => rows.toast(message));
  }

  /** The live region. */
  #messagesNow(): Child[] {
    const said = this.items || this.#failed ? this.#said : this.say('loading');
    return [h('p.unseen', { role: 'status' }, said)];
  }

  /** Opens a dialog, whose content is rendered with the page. Resolves to it when it is closed. */
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
    // The target is the dialog itself for a press on its backdrop.
    const beside = ({ target }: Event) => {
      if (target instanceof HTMLDialogElement) target.close();
    };
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
      // Messages go into the topmost dialog, because all outside of it is inert.
      sheet === this.#sheets.at(-1) && this.#messages,
    );
  }

  /** Asks in a dialog. Resolves to the text entered or 'yes', or to '' if cancelled. */
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
