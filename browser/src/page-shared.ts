import { HEART } from './button.js';
import { Card } from './page-card.js';
import { h, ICONS, safe, type Child } from './page-dom.js';
import { STEP, View } from './page-view.js';
import { sharedList } from './shares.js';
import type { WishlistError } from './error.js';
import type { SharedItem, SharedList } from './types.js';

/** The element <wishlist-shared>: somebody's list, by the token of its link. */
export abstract class SharedElement extends View<SharedItem> {
  #list: SharedList | undefined;
  #token = '';
  #title!: HTMLHeadingElement;
  readonly #copy = h('button.plain.copy', { onclick: () => this.#copyIt() });
  readonly #question = h('div.notice.question');

  override connectedCallback() {
    super.connectedCallback();
    const { signal } = this.leaving;
    const changed = () => this.#tokenNow !== this.#token && this.clear();
    addEventListener('hashchange', changed, { signal });
  }

  /** From the address it goes nowhere but to the service, not even into a query. */
  get #tokenNow(): string {
    const [, inAddress] = /^#(wwshr_\w+)/.exec(location.hash) ?? [];
    // Another fragment, as of a link within the page, changes nothing.
    return this.getAttribute('token') ?? inAddress ?? this.#token;
  }

  protected build(): Child[] {
    const { say } = this;
    this.#copy.textContent = say('copy');
    delete this.#question.dataset.own;
    this.#title = this.heading(0, 'title');
    this.#title.hidden = this.#copy.hidden = this.#question.hidden = true;
    return [
      h('header.head', this.#title, this.#copy),
      this.notice,
      this.#question,
      this.grid,
      this.blank,
      this.showMore,
    ];
  }

  protected async read() {
    const token = (this.#token = this.#tokenNow);
    const path = `shared/${encodeURIComponent(token)}?include=product`;
    try {
      if (!token) return () => this.#end();
      const { data } = await this.wishlist.call<{ data: SharedList }>('GET', path);
      return () => {
        this.#list = data;
        this.#draw();
      };
    } catch (error) {
      if ((error as WishlistError).status !== 404) throw error;
      return () => this.#end();
    }
  }

  #end() {
    this.#title.textContent = this.say('ended');
    this.#title.hidden = false;
    this.#copy.hidden = this.#question.hidden = true;
    this.fill([], false);
    this.state(HEART, '', this.say('endedText'), '');
  }

  #draw() {
    const { name, items } = this.#list!;
    this.#title.textContent = name;
    this.#title.hidden = false;
    this.#copy.hidden = !items.length;
    this.#ask();
    this.state(ICONS.picture, this.say('emptyList'), '', '');
    this.fill(items.slice(0, this.wanted), items.length > this.wanted);
  }

  // ----------------------------------------------------------------------------- reservations

  /** Whether it is the shopper's own list; undefined until they say. It is kept for this tab. */
  get #own(): boolean | undefined {
    const { reservations, items } = this.#list!;
    // The service hides reservations from an owner who is signed in.
    if (reservations && items.length && items.every(({ reserved }) => reserved === undefined))
      return true;
    try {
      const answer = sessionStorage.getItem(this.#key);
      return answer === null ? undefined : answer === 'own';
    } catch {
      return this.#answer; // the shopper has blocked storage
    }
  }

  #answer: boolean | undefined;

  /** The end of a token is a checksum, which opens nothing. */
  get #key() {
    return `wishwell:shared:${this.#token.slice(-6)}`;
  }

  /** An owner who is signed out can't be told from others, so they are asked. */
  #ask() {
    const { say } = this;
    const own = this.#own;
    const question = this.#question;
    question.hidden = own === false || !this.#list!.reservations || !this.#list!.items.length;
    if (question.hidden || question.dataset.own === `${own}`) return;
    question.dataset.own = `${own}`;
    if (own) return question.replaceChildren(say('own'));
    const answer = (own: boolean) => () => {
      this.#answer = own;
      try {
        sessionStorage.setItem(this.#key, own ? 'own' : 'not');
      } catch {
        // Kept for this page alone.
      }
      for (const card of this.cards.values()) card.show(card.item);
      this.#ask();
      const first = this.grid.querySelector<HTMLElement>('button, a[href]');
      (own ? this.#copy : first)?.focus({ preventScroll: true });
    };
    question.replaceChildren(
      h('p', h('strong', say('ownQuestion')), say('ownText')),
      h(
        'div.answers',
        h('button.plain', { onclick: answer(true) }, say('ownYes')),
        h('button.primary', { onclick: answer(false) }, say('ownNo')),
      ),
    );
  }

  protected make(item: SharedItem): Card<SharedItem> {
    const { say } = this;
    const state = h('p.wanted');
    const give = h('button.primary.reserve', { onclick: () => this.#reserve(card) });
    const back = h('button.plain.release', { onclick: () => this.#release(card) }, say('release'));
    const card: Card<SharedItem> = new Card(this, item, () => {
      const { quantity, reserved = 0, yours = 0 } = card.item;
      const shown = this.#list!.reservations && this.#own === false;
      // The owner may now want fewer than are reserved already.
      const left = Math.max(quantity - reserved, 0);
      const part = reserved && left ? say('reserved', { n: reserved, count: quantity }) : '';
      state.textContent = shown ? (yours ? say('yours', { n: yours }) : part) : '';
      give.hidden = !shown || !(left || (yours && quantity > 1));
      give.textContent = say(yours ? 'change' : 'reserve');
      back.hidden = !shown || !yours;
      for (const button of [give, back]) button.ariaLabel = `${button.textContent}: ${card.name}`;
      return shown && !left && !yours ? say('taken') : '';
    });
    card.actions.prepend(state, give, back);
    return card;
  }

  async #reserve(card: Card<SharedItem>) {
    const { say } = this;
    const { item, name } = card;
    const most = Math.max(item.quantity - (item.reserved ?? 0), 0) + (item.yours ?? 0);
    const question = { value: `${item.yours || 1}`, label: say('howMany'), most };
    const said = most > 1 ? await this.ask(say('howMany'), say('reserve'), question) : '1';
    if (!said) return;
    await this.attempt(async () => {
      await sharedList(this.wishlist, this.#token).reserve(item.id, +said);
      this.toast(say('nowYours', { name }));
    });
  }

  async #release(card: Card<SharedItem>) {
    await this.attempt(async () => {
      await sharedList(this.wishlist, this.#token).release(card.item.id);
      this.toast(this.say('released', { name: card.name }));
    });
  }

  async #copyIt() {
    const { say } = this;
    await this.attempt(async () => {
      await sharedList(this.wishlist, this.#token).copy();
      const own = safe(this.getAttribute('own-page') ?? `${this.wishlist.base}/`);
      this.toast(say('copied'), say('open'), () => own && location.assign(own));
    });
  }

  protected home() {
    return this.#copy;
  }

  protected more() {
    if (!this.#list || this.#list.items.length <= this.wanted) return;
    this.wanted += STEP;
    this.#draw();
  }
}
