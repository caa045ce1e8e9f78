import type { Product } from './types.js';

const LONGEST = 30 * 60_000; // ms for the sign-in

/** This tab's storage; undefined where the shopper has blocked it: they then press once more. */
export const storage = () => {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
};
const nameOf = (base: string) => `wishwell:${base}`;

/** Keeps the product that a visitor pressed while they sign in; only the last one. */
export function keep(base: string, product: Product): void {
  storage()?.setItem(nameOf(base), JSON.stringify([Date.now(), product]));
}

/** The product that was kept in the last half hour; `take` removes it. */
export function kept(base: string, take = false): Product | undefined {
  const [at, product] = JSON.parse(storage()?.getItem(nameOf(base)) ?? '[0]');
  const good = Date.now() - at < LONGEST;
  if (take || !good) storage()?.removeItem(nameOf(base));
  return good ? product : undefined;
}
