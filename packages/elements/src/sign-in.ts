// Answers a press of a visitor whose session can't be created: leads to the shop's sign-in page, or
// shows why. Hearts load this module at the first refusal.
import { keep, nameOf } from './kept.js';
import { REFUSED } from './texts/en.js';
import type { Product } from './types.js';
import type { Wishlist } from './wishlist.js';

/** Leads to the sign-in page after a 401; without such a page, and for cookies, `tell`s a message. */
export function refuse(
  heart: Element,
  { base, texts }: Pick<Wishlist, 'base' | 'texts'>,
  product: Product,
  wanted: boolean,
  status: number,
  tell: (text: string) => void,
) {
  const name = status ? 'heartSignIn' : 'cookiesBlocked';
  if (status && !signIn(heart, base, product, wanted)) return;
  const show = () => tell((status && heart.getAttribute('label-sign-in')) || say(name));
  const say = texts(heart, REFUSED, show);
  show();
}

/**
 * Stores the product if it was `wanted`, and leads to the sign-in page. Returns whether there is no
 * such page, so that the heart shows a message.
 */
function signIn(heart: Element, base: string, product: Product, wanted: boolean): boolean {
  // The last press counts.
  if (wanted) keep(nameOf(base), JSON.stringify([Date.now(), product]));
  const url = signInOf(heart);
  const [bubbles, detail] = [true, { ...product, url }];
  const event = new CustomEvent('wishlist-sign-in', {
    bubbles,
    composed: bubbles,
    cancelable: bubbles,
    detail,
  });
  if (!heart.dispatchEvent(event)) return false;
  if (url) location.assign(url);
  return !url;
}

/** Returns the address of an element's attribute `sign-in`, with the way back; undefined without. */
export function signInOf(element: Element): string | undefined {
  const [page, back] = ['sign-in', 'sign-in-return'].map((name) => element.getAttribute(name));
  if (!page) return undefined;
  const url = new URL(page, document.baseURI);
  if (back) url.searchParams.set(back, location.href.slice(location.origin.length));
  // A `javascript:` URL in the attribute must not run.
  return url.protocol.startsWith('http') ? url.href : undefined;
}
