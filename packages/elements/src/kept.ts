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
/** Stores a text in the tab's storage, unless it is blocked or full. */
export const keep = (key: string, text: string) => {
  try {
    storage()?.setItem(key, text);
  } catch {}
};
/** The key of the last change that was sent. The page may be left before its event. */
export const SENT = 'wishwell:sent';
export const nameOf = (base: string) => `wishwell:${base}`;

/** Returns the product stored in the last half hour; `take` also removes it. */
export function kept(base: string, take = false): Product | undefined {
  const [at, product] = JSON.parse(storage()?.getItem(nameOf(base)) ?? '[0]');
  const good = Date.now() - at < LONGEST;
  if (take || !good) storage()?.removeItem(nameOf(base));
  return good ? product : undefined;
}
