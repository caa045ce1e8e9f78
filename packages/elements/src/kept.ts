import type { Product } from './types.js';

const LONGEST = 30 * 60_000; // ms that a sign-in may take

/** The tab's storage; undefined if it is blocked: shoppers then press again after signing in. */
export const storage = () => {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
};
const nameOf = (base: string) => `wishwell:${base}`;

/** Stores the last product that a visitor pressed, to save it after they sign in. */
export function keep(base: string, product: Product): void {
  storage()?.setItem(nameOf(base), JSON.stringify([Date.now(), product]));
}

/** Returns the product stored in the last half hour; `take` also removes it. */
export function kept(base: string, take = false): Product | undefined {
  const [at, product] = JSON.parse(storage()?.getItem(nameOf(base)) ?? '[0]');
  const good = Date.now() - at < LONGEST;
  if (take || !good) storage()?.removeItem(nameOf(base));
  return good ? product : undefined;
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
