import type { Product } from './types.js';

const LONGEST = 30 * 60_000; // ms in which a shopper may sign in

/** Of this tab only; none where the shopper has blocked all storage: they press once more. */
const storage = () => {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
};
const nameOf = (base: string) => `wishwell:${base}`;

/** Keeps what a visitor wished for while they sign in; the last one counts. */
export function keep(base: string, product: Product): void {
  storage()?.setItem(nameOf(base), JSON.stringify([Date.now(), product]));
}

/** What was kept in the last half an hour; once it is taken, nobody gets it again. */
export function kept(base: string, take = false): Product | undefined {
  const [at, product] = JSON.parse(storage()?.getItem(nameOf(base)) ?? '[0]');
  const good = Date.now() - at < LONGEST;
  if (take || !good) storage()?.removeItem(nameOf(base));
  return good ? product : undefined;
}
