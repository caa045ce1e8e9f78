import { HEART } from './button.js';
import { keep, storage } from './kept.js';
import { card, nameOf } from './page-card.js';
import { h, ICONS, safe, type Child, type Wanted } from './page-dom.js';
import { View } from './page-view.js';
import { sharedList } from './shares.js';
import type { WishlistError } from './error.js';
import type { SharedItem, SharedList } from './types.js';

/** The element <wishlist-shared>: somebody's shared list, found by the token in its link. */
export abstract class SharedElement extends View<SharedItem> {
  #list: SharedList | undefined;
  #token = '';
  /** The shopper's answer to whether the list is their own: `own`, `not` or none yet. */
  #answer: string | null | undefined;

  override connectedCallback() {
    super.connectedCallback();
    const { signal } = this.leaving!;
    const changed = () => this.#tokenNow !== this.#token && this.begin();
    addEventListener('hashchange', changed, { signal });
  }

  protected override begin() {
    this.#list = this.#answer = undefined;
    super.begin();
  }

  /** The token in the attribute or the URL's fragment, sent only to the service, in the path. */
  get #tokenNow(): string {
    const [, inAddress] = /^#(wwshr_\w+)/.exec(location.hash) ?? [];
    // Other fragments, such as that of a link within the page, are ignored.
    return this.getAttribute('token') ?? inAddress ?? this.#token;
  }

  protected async read() {
    const token = (this.#token = this.#tokenNow);
    const path = `shared/${encodeURIComponent(token)}?include=product`;
    const { data } = token
      ? await this.wishlist.call<{ data?: SharedList }>('GET', path).catch(ended)
      : {};
    return () => {
      this.#list = data;
      this.#answer = storage()?.getItem(this.#key) ?? this.#answer;
      this.items = data?.items ?? [];
    };
  }

  protected content(): Child[] {
    const { say, items } = this;
    const list = this.#list;
    const owner = list?.displayName && say('owner', { name: list.displayName });
    const name = items && (list ? (list.name ?? (owner || say('title'))) : say('ended'));
    const shop = safe(this.getAttribute('shop-url') ?? '/');
    const none = list
      ? this.blank(ICONS.picture, say('emptyList'), '')
      : this.blank(HEART, '', say('endedText'), shop && h('a.plain', { href: shop }, say('shop')));
    return [
      h(
        'header.head',
        {},
        h(
          'div',
          {},
          name && this.heading(0, 'title', name),
          list?.name && owner && h('p.owner', {}, owner),
        ),
        items?.[0] && h('button.plain.copy', { onclick: () => this.#copy() }, say('copy')),
      ),
      this.notice(),
      this.#question(),
      ...this.cards(none),
    ];
  }

  // ----------------------------------------------------------------------------- reservations

  /** Whether reservations may be shown; undefined until the shopper says whose list it is. */
  get #gives(): boolean | undefined {
    const { items = [] } = this;
    // The service omits reservations for a signed-in owner.
    const own = items.every(({ reserved }) => reserved === undefined);
    if (own || !this.#answer) return own ? false : undefined;
    return this.#answer === 'not';
  }

  /** The key for storing the answer. Uses only the token's checksum, which gives no access. */
  get #key() {
    return `wishwell:shared:${this.#token.slice(-6)}`;
  }

  /** Asks whose list it is, because a signed-out owner can't be distinguished from others. */
  #question(): Child {
    const { say } = this;
    if (!this.items?.[0] || !this.#list?.reservations || this.#gives) return false;
    if (this.#gives === false) return h('div.notice.question', {}, say('own'));
    const answer = (answer: string) => () => {
      this.#answer = answer;
      keep(this.#key, answer);
      this.draw();
    };
    return h(
      'div.notice.question',
      {},
      h('p', {}, h('strong', {}, say('ownQuestion')), say('ownText')),
      h(
        'div.answers',
        {},
        h('button.plain', { onclick: answer('own') }, say('ownYes')),
        h('button.primary', { onclick: answer('not') }, say('ownNo')),
      ),
    );
  }

  protected card(item: SharedItem): Wanted {
    const { say } = this;
    if (!this.#list!.reservations || !this.#gives) return card(this, item, {});
    const name = nameOf(item, this);
    const { quantity, reserved = 0, yours = 0 } = item;
    // The owner may have reduced the quantity below what is reserved.
    const left = Math.max(quantity - reserved, 0);
    const others = reserved && left && say('reserved', { n: reserved, count: quantity });
    const state = yours ? say('yours', { n: yours }) : others;
    const button = (what: string, text: string, onclick: () => void) =>
      h(what, { ariaLabel: `${text}: ${name}`, onclick }, text);
    const give = say(yours ? 'change' : 'reserve');
    const actions = [
      state && h('p.wanted', {}, state),
      (left || (yours && quantity > 1)) &&
        button('button.primary.reserve', give, () => this.#reserve(item, left + yours)),
      yours && button('button.plain.release', say('release'), () => this.#release(item)),
    ];
    return card(this, item, { actions, badge: !left && !yours && say('taken') });
  }

  async #reserve(item: SharedItem, most: number): Promise<void> {
    const { say } = this;
    const field = { type: 'number', min: '1', max: `${most}`, defaultValue: `${item.yours || 1}` };
    const count = most > 1 ? await this.ask(say('howMany'), say('reserve'), { field }) : 1;
    if (!count) return;
    await this.attempt(async () => {
      await sharedList(this.wishlist, this.#token).reserve(item.id, +count);
      this.toast(say('nowYours', { name: nameOf(item, this) }));
    });
  }

  async #release(item: SharedItem): Promise<void> {
    await this.attempt(async () => {
      await sharedList(this.wishlist, this.#token).release(item.id);
      this.toast(this.say('released', { name: nameOf(item, this) }));
    });
  }

  async #copy(): Promise<void> {
    const { say } = this;
    await this.attempt(async () => {
      await sharedList(this.wishlist, this.#token).copy(
        this.#list!.name
          ? undefined
          : (this.#list!.displayName && say('owner', { name: this.#list!.displayName })) ||
              say('title'),
      );
      const own = safe(this.getAttribute('own-page') ?? `${this.wishlist.base}/`);
      this.toast(say('copied'), say('open'), () => own && location.assign(own));
    });
  }
}

/** Turns a 404, for a link that has ended, into an empty response. */
function ended(error: WishlistError): { data?: undefined } {
  if (error.status === 404) return {};
  throw error;
}
