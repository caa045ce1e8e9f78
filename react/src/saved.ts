import type { Product, State } from '@wishwell/browser';
import { useMemo, useSyncExternalStore } from 'react';
import { useWishlist } from './context.js';

export interface Saved extends State {
  /** Saves or removes, by what is shown now; answers with whether it is saved in the end. */
  toggle: () => Promise<boolean>;
}

const UNKNOWN: State = { saved: false, item: undefined, pending: false };

/**
 * What is shown of a product, and from then on each change of it. Not saved until that is known,
 * and on a server. Products of one frame are asked for in one request.
 */
export function useSaved({ productId, variantId, match }: Product): Saved {
  const wishlist = useWishlist();
  const store = useMemo(() => {
    const product = { productId, variantId, match };
    let last = UNKNOWN;
    return {
      subscribe: (told: () => void) => wishlist.watch(product, told),
      // The same object while nothing has changed, which React asks for.
      state: () => {
        const now = wishlist.state(product);
        const same = (Object.keys(now) as (keyof State)[]).every((key) => now[key] === last[key]);
        return same ? last : (last = now);
      },
      toggle: () => wishlist.toggle(product),
    };
  }, [wishlist, productId, variantId, match]);
  const state = useSyncExternalStore(store.subscribe, store.state, () => UNKNOWN);
  return { ...state, toggle: store.toggle };
}
