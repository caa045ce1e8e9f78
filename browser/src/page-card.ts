import { h, icon, ICONS, own, safe, type Child } from './page-dom.js';
import type { Say } from './page-text.js';
import type { Item, SharedItem } from './types.js';

/** What the cards of a page have in common. */
export interface Looks {
  readonly say: Say;
  /** For prices; empty for the browser's own. */
  readonly locale: string;
  /** The address of a product whose own is not known, with `{productId}` and `{variantId}`. */
  readonly productUrl: string | null;
  /** Whether the main thing to do is the shop's cart, and what then happens. */
  readonly hasCart: boolean;
  toCart(item: Item | SharedItem): void;
  /** A heading so many levels below the page's title. */
  heading(below: number, names: string, ...content: Child[]): HTMLHeadingElement;
}

/** A product on the page. It changes in place, so that focus and picture stay. */
export class Card<W extends Item | SharedItem> {
  readonly #picture = h('div.picture');
  readonly #badge = h('span.badge');
  readonly #link = h('a.link');
  readonly #variant = h('p.variant');
  readonly #price = h('p.price');
  readonly #note = h('p.note');
  #source: string | undefined = '';
  readonly #cart = h('button.primary.add', { onclick: () => this.looks.toCart(this.item) });
  /** Below the texts. */
  readonly actions = h('div.actions');
  readonly node = h('li.card', h('div.media', this.#picture, this.#badge));
  /** With the variant's, as that of no other card. */
  name = '';

  /** `more` draws what only this page's cards have, and may say a badge. */
  constructor(
    readonly looks: Looks,
    public item: W,
    readonly more: () => string | void,
  ) {
    if (looks.hasCart) this.actions.append(this.#cart);
    const name = looks.heading(1, 'name', this.#link);
    this.node.append(name, this.#variant, this.#price, this.#note, this.actions);
  }

  show(item: W) {
    this.item = item;
    const { say, locale } = this.looks;
    const { product = {}, productId, quantity, note } = item;
    const title = product.title ?? say('product', { id: productId });
    this.name = [title, product.variantTitle].filter(Boolean).join(', ');
    this.#link.textContent = title;
    this.#link.ariaLabel = this.name;
    const address = this.#address();
    if (address) this.#link.href = address;
    else this.#link.removeAttribute('href');
    this.#variant.textContent = product.variantTitle ?? '';
    this.#price.textContent = [
      quantity > 1 && `${new Intl.NumberFormat(locale || undefined).format(quantity)} ×`,
      product.price && money(product.price, locale),
    ]
      .filter(Boolean)
      .join(' ');
    this.#note.textContent = note ?? '';
    this.#draw(safe(product.image, /^https:$/) ?? own(product.image));
    const soldOut = product.available === false;
    this.#cart.disabled = soldOut;
    this.#cart.textContent = say(soldOut ? 'soldOut' : 'cart');
    this.#cart.ariaLabel = `${this.#cart.textContent}: ${this.name}`;
    this.#badge.textContent = this.more() || (soldOut ? say('soldOut') : '');
    this.node.classList.toggle('gone', !!this.#badge.textContent);
  }

  #address(): string | undefined {
    const { product, productId, variantId } = this.item;
    const known = safe(product?.url);
    const pattern = this.looks.productUrl;
    if (known || !pattern) return known;
    const ids = { productId, variantId: variantId ?? '' };
    return safe(
      pattern.replace(/\{(productId|variantId)\}/g, (_, name: keyof typeof ids) =>
        encodeURIComponent(ids[name]),
      ),
    );
  }

  #draw(source: string | undefined) {
    if (source === this.#source) return;
    this.#source = source;
    const none = () => this.#picture.replaceChildren(icon(ICONS.picture));
    if (!source) return none();
    // The address comes last, as the others say how it is loaded.
    const how = { alt: '', loading: 'lazy', decoding: 'async', referrerPolicy: 'no-referrer' };
    this.#picture.replaceChildren(h('img', { ...how, onerror: none, src: source }));
  }
}

/** A card of the same size, until there is one. */
export function skeleton(cart: boolean): HTMLElement {
  const lines = [h('div.bone'), h('div.bone'), cart && h('div.bone.tall')];
  return h('li.card.skeleton', { ariaHidden: 'true' }, h('div.media', h('div.picture')), ...lines);
}

function money({ amount, currency }: { amount: string; currency: string }, locale: string): string {
  const style = { style: 'currency', currency } as const;
  return new Intl.NumberFormat(locale || undefined, style).format(Number(amount));
}
