import { h, icon, ICONS, safe, type Child, type Wanted } from './page-dom.js';
import { localeOf } from './texts/index.js';
import type { View } from './page-view.js';
import type { Item, SharedItem } from './types.js';

type Shown = Item | SharedItem;
/** The view whose items are named; only these of its members are used. */
type Page = Pick<View<Shown>, 'say' | 'items'>;

/** Additions to a card by one of the pages. */
interface More {
  badge?: string | false | undefined;
  /** Shown before "Add to cart". */
  actions?: Child[];
  /** Whether an earlier price is struck through, with a percentage. */
  reduces?: boolean;
  /** Shown on the picture. */
  tools?: Child[];
  /** The box that selects the item; the card then has no other controls. */
  pick?: Child;
}

/** Whether the product can't be ordered: sold out, or deleted by the shop. */
export const unavailable = ({ product }: Shown): boolean =>
  product?.available === false || !!product?.deleted;

/** Returns the name of the variant, or its id where only that distinguishes two cards. */
function variantOf({ id, product, productId, variantId }: Shown, { say, items }: Page) {
  const twin = (other: Shown) => other.productId === productId && other.id !== id;
  const needed = variantId && items?.some(twin);
  return product?.variantTitle ?? (needed ? say('variant', { id: `${variantId}` }) : undefined);
}

const titleOf = ({ product, productId }: Shown, { say }: Page) =>
  product?.title ?? say('product', { id: `${productId}` });

/** Returns the accessible name of an item, unique on the page because it includes the variant. */
export function nameOf(item: Shown, page: Page): string {
  return [titleOf(item, page), variantOf(item, page)].filter(Boolean).join(', ');
}

/** Returns a product's card. */
export function card<W extends Shown>(page: View<W>, item: W, more: More): Wanted {
  const { say } = page;
  const { product = {}, note } = item;
  const title = titleOf(item, page);
  const href = more.pick ? undefined : addressOf(item, page.getAttribute('product-url'));
  const link = href ? h('a.link', { href, ariaLabel: nameOf(item, page) }, title) : title;
  const state = product.deleted ? say('deleted') : product.available === false && say('soldOut');
  const variant = variantOf(item, page);
  const saved = dropOf(item) && money((item as Item).savedPrice, page);
  const price = saved && money(product.price, page);
  const percent = () => format(page.locale, -dropOf(item), { style: 'percent' });
  const less = saved && (more.reduces ? percent().replace('-', '−') : say('cheaper'));
  const badge = more.badge || state;
  return h(
    'li.card',
    { key: item.id },
    h(
      'div.media',
      {},
      picture(product.image),
      badge ? h('span.badge', {}, badge) : less && h('span.badge.less', {}, less),
    ),
    page.heading(1, 'name', link),
    variant && h('p.variant', {}, variant),
    h('p.price', {}, more.reduces && saved && h('del', {}, saved), priceOf(item, page)),
    price && !more.reduces && h('p.cheaper', {}, say('savedNow', { saved, price })),
    note && h('p.note', {}, note),
    h('div.actions', {}, ...(more.actions ?? []), !more.pick && cart(page, item, href)),
    more.tools && h('div.corner', {}, ...more.tools),
    more.pick,
  );
}

/** Returns an address with the item's ids in place of `{productId}`, `{variantId}`, `{quantity}`. */
function filled(pattern: string | null, { productId, variantId = '', quantity }: Shown) {
  const values: Record<string, string | number> = { productId, variantId, quantity };
  const fill = (_: string, name: string) => encodeURIComponent(values[name]!);
  return safe(pattern?.replace(/\{(productId|variantId|quantity)\}/g, fill));
}

/** Returns the address of the product's page; a deleted product has none. */
function addressOf(item: Shown, pattern: string | null): string | undefined {
  return item.product?.deleted ? undefined : (safe(item.product?.url) ?? filled(pattern, item));
}

/** Returns a picture, which must be https or of the page's own origin; one that fails is hidden. */
function picture(address: string | undefined): Wanted {
  const src = safe(address);
  const good = ['https:', `${location.origin}/`].some((start) => src?.startsWith(start));
  const onerror = ({ target }: Event) => ((target as HTMLElement).hidden = true);
  // `src` comes last, because the other properties must be set before loading starts.
  const how = { loading: 'lazy', decoding: 'async', referrerPolicy: 'no-referrer', onerror };
  const image = good && h('img', { key: src, alt: '', ...how, src });
  return h('div.picture', {}, icon(ICONS.picture), image);
}

const format = (locale: string, value: number, style?: Intl.NumberFormatOptions) =>
  new Intl.NumberFormat(localeOf(locale), style).format(value);

const money = (price: Item['savedPrice'], { locale }: { locale: string }) =>
  price ? format(locale, +price.amount, { style: 'currency', currency: price.currency }) : '';

function priceOf({ quantity, product }: Shown, page: { locale: string }): string {
  const count = quantity > 1 && `${format(page.locale, quantity)} ×`;
  return [count, money(product?.price, page)].filter(Boolean).join(' ');
}

/** Returns the part by which the price has dropped since the item was saved; 0 below one per cent. */
export function dropOf(item: Shown): number {
  const [was, now] = [(item as Item).savedPrice, item.product?.price];
  if (!was || !now || was.currency !== now.currency) return 0;
  // Rounded down, so that nothing is promised; the addend absorbs floating-point errors.
  return Math.max(Math.floor((1 - +now.amount / +was.amount) * 100 + 1e-6), 0) / 100;
}

/** Dispatches `wishlist-cart`; the shop has the cart. */
export function toCart<W extends Shown>(page: View<W>, items: W[], one: { item?: W } = {}) {
  const detail = { ...one, items };
  page.dispatchEvent(new CustomEvent('wishlist-cart', { bubbles: true, composed: true, detail }));
}

/** Returns "Add to cart": a button, or with `cart-url` a link; `view` is the product's page. */
function cart<W extends Shown>(page: View<W>, item: W, view: string | undefined): Child {
  const pattern = page.getAttribute('cart-url');
  // The badge says that a product is sold out.
  if (unavailable(item) || (pattern === null && !page.hasAttribute('cart'))) return false;
  // The shop's cart needs a variant, which the shopper has yet to choose.
  const unchosen = pattern?.includes('{variantId}') && !item.variantId;
  const text = page.say(unchosen ? 'open' : 'cart');
  const ariaLabel = `${text}: ${nameOf(item, page)}`;
  const href = unchosen ? view : filled(pattern, item);
  if (pattern !== null) return href && h('a.primary.add', { href, ariaLabel }, text);
  const onclick = () => toCart(page, [item], { item });
  return h('button.primary.add', { ariaLabel, onclick }, text);
}

/** Returns a placeholder of a card's size, shown while loading. */
export function skeleton(cart: boolean): Wanted {
  return h(
    'li.card.skeleton',
    { ariaHidden: 'true' },
    h('div.media', {}, h('div.picture')),
    h('div.bone'),
    h('div.bone'),
    cart && h('div.bone.tall'),
  );
}
