import type { Product, State } from '@wishwell/browser';
import { useMemo, useSyncExternalStore } from 'react';
import { useWishlist } from './context.js';

export interface Saved extends State {
  /** Saves or removes the product, depending on its state. Resolves to whether it is saved. */
  toggle: () => Promise<boolean>;
}

const UNKNOWN: State = { saved: false, item: undefined, pending: false };

/**
 * Returns whether a product is saved, and updates on changes. On a server, and until the response
 * arrives, it is not saved. Lookups within a frame are batched into one request.
 */
export function useSaved({ productId, variantId, match }: Product): Saved {
  const wishlist = useWishlist();
  const store = useMemo(() => {
    const product = { productId, variantId, match };
    let last = UNKNOWN;
    return {
      subscribe: (changed: () => void) => wishlist.watch(product, changed),
      // React needs the same object as long as nothing has changed.
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
