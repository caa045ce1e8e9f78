// The entry point of `<script type="module" src="/apps/wishlist/assets/analytics.js" to="gtag">`:
// forwards confirmed saves and removals to the analytics that the page has.
import type { Saved } from './types.js';

type Send = (...args: unknown[]) => void;

const page = window as unknown as {
  gtag?: Send;
  dataLayer?: object[];
  fbq?: Send;
  analytics?: { track: Send };
};
const script = [...document.scripts].find(({ src }) => src === import.meta.url);
const to = script?.getAttribute('to')?.split(/[\s,]+/);
/** Whether to forward to one. By default only to one of gtag and dataLayer, which are one account. */
const wants = (name: string) =>
  to ? to.includes(name) : name !== (page.gtag ? 'datalayer' : 'gtag');

for (const type of ['added', 'removed'] as const) {
  document.addEventListener(`wishlist-${type}`, ({ detail }) => forward(detail, type === 'added'));
}

function forward({ productId, variantId, quantity, product }: Saved, added: boolean) {
  // The address of a shared list is a key, and analytics send the page's address.
  if (/wwshr_/.test(location.href) || document.querySelector('wishlist-shared')) return;
  const { title: name, price, currency, url } = product ?? {};
  const id = `${variantId ?? productId}`;
  const value = price && +(price * quantity).toFixed(2);
  const item = {
    item_id: `${productId}`,
    item_name: name,
    item_variant: variantId && id,
    price,
    quantity,
  };
  const event = `${added ? 'add_to' : 'remove_from'}_wishlist`;
  const data = { currency, value, items: [item] };
  if (wants('gtag')) page.gtag?.('event', event, data);
  if (wants('datalayer') && (to || page.dataLayer)) {
    // Google Tag Manager merges objects: null removes the items of the event before.
    (page.dataLayer ??= []).push({ ecommerce: null }, { event, ecommerce: data });
  }
  if (added && wants('fbq')) {
    const content = { content_ids: [id], content_name: name, content_type: 'product' };
    page.fbq?.('track', 'AddToWishlist', { ...content, currency, value });
  }
  if (wants('segment')) {
    const event = `Product ${added ? 'Added to' : 'Removed from'} Wishlist`;
    const product = { product_id: `${productId}`, variant: variantId && id, name, price, currency };
    page.analytics?.track(event, { ...product, quantity, url });
  }
}
