import { h, icon, ICONS, safe, type Child, type Wanted } from './page-dom.js';
import { localeOf, type Say } from './texts/index.js';
import type { View } from './page-view.js';
import type { Item, SharedItem } from './types.js';

/** Additions to a card by one of the pages. */
interface More {
  badge?: string | false;
  /** Shown before "Add to cart". */
  actions?: Child[];
  /** Shown on the picture. */
  tools?: Child[];
}

/** Returns the accessible name of an item, unique on the page because it includes the variant. */
export function nameOf({ product, productId }: Item | SharedItem, say: Say): string {
  const title = product?.title ?? say('product', { id: `${productId}` });
  return [title, product?.variantTitle].filter(Boolean).join(', ');
}

/** Returns a product's card. */
export function card<W extends Item | SharedItem>(page: View<W>, item: W, more: More): Wanted {
  const { say } = page;
  const { product = {}, productId, note } = item;
  const title = product.title ?? say('product', { id: `${productId}` });
  const href = addressOf(item, page.getAttribute('product-url'));
  const link = href ? h('a.link', { href, ariaLabel: nameOf(item, say) }, title) : title;
  const soldOut = product.available === false && say('soldOut');
  const badge = more.badge || soldOut;
  return h(
    'li.card',
    { key: item.id },
    h('div.media', {}, picture(product.image), badge && h('span.badge', {}, badge)),
    page.heading(1, 'name', link),
    product.variantTitle && h('p.variant', {}, product.variantTitle),
    h('p.price', {}, priceOf(item, page.locale)),
    note && h('p.note', {}, note),
    h('div.actions', {}, ...(more.actions ?? []), page.hasAttribute('cart') && cart(page, item)),
    ...(more.tools ?? []),
  );
}

function addressOf(item: Item | SharedItem, pattern: string | null): string | undefined {
  const ids = { productId: item.productId, variantId: item.variantId ?? '' };
  const fill = (_: string, name: keyof typeof ids) => encodeURIComponent(ids[name]);
  return safe(item.product?.url) ?? safe(pattern?.replace(/\{(productId|variantId)\}/g, fill));
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

function priceOf({ quantity, product }: Item | SharedItem, locale: string): string {
  const say = (value: number, style?: Intl.NumberFormatOptions) =>
    new Intl.NumberFormat(localeOf(locale), style).format(value);
  const price = product?.price;
  const money = price && say(+price.amount, { style: 'currency', currency: price.currency });
  return [quantity > 1 && `${say(quantity)} ×`, money].filter(Boolean).join(' ');
}

/** Returns the button "Add to cart". It only dispatches an event, because the shop has the cart. */
function cart<W extends Item | SharedItem>(page: View<W>, item: W): Wanted {
  const disabled = item.product?.available === false;
  const text = page.say(disabled ? 'soldOut' : 'cart');
  const ariaLabel = `${text}: ${nameOf(item, page.say)}`;
  const told = { bubbles: true, composed: true, detail: { item } };
  const onclick = () => page.dispatchEvent(new CustomEvent('wishlist-cart', told));
  return h('button.primary.add', { disabled, ariaLabel, onclick }, text);
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
