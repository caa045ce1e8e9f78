/** How many sessions one address may begin: each costs the admin token, which serves everybody. */

import { Refused } from "./errors.js";

const WINDOW_SECONDS = 60;

/** Addresses that are counted in one window: a bound on memory; those beyond it are not refused. */
const MOST = 100_000;

/** Counts one more session of an address, null where it is not known. Throws `Refused`: 429. */
export type Newcomers = (address: string | null | undefined, now: number) => void;

/** Counts by the minute, in this process. `most` sessions of an address; 0 is no bound. */
export function newcomersOf(most: number): Newcomers {
  const counts = new Map<string, number>();
  let ends = 0;
  return (address, now) => {
    if (!address || most === 0) return;
    if (now >= ends || now < ends - WINDOW_SECONDS) {
      ends = now + WINDOW_SECONDS;
      counts.clear();
    }
    const count = counts.get(address) ?? 0;
    if (count >= most) {
      const wait = String(Math.max(1, ends - now));
      throw new Refused(429, "Too many new wishlists from this address.", { "retry-after": wait });
    }
    if (count > 0 || counts.size < MOST) counts.set(address, count + 1);
  };
}
