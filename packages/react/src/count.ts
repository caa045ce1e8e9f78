import { defineCount, type Saved as Confirmed } from '@wishwell/browser';
import {
  createElement,
  useEffect,
  useRef,
  useSyncExternalStore,
  type HTMLAttributes,
  type ReactElement,
} from 'react';
import { useWishlist } from './context.js';

/** What the shop knows of its shopper. */
export interface Shopper {
  /** Whether a customer is signed in; or any text that changes with the customer. */
  signedIn?: boolean | string | undefined;
}

export interface WishlistCountProps extends HTMLAttributes<HTMLElement>, Shopper {}

const attribute = (signedIn: Shopper['signedIn']) =>
  signedIn === true ? '' : signedIn || undefined;

/** The element <wishlist-count>: the number of saved items. A server renders only its tag. */
export function WishlistCount({ signedIn, className, ...rest }: WishlistCountProps): ReactElement {
  const wishlist = useWishlist();
  useEffect(() => defineCount(wishlist), [wishlist]);
  return createElement('wishlist-count', {
    ...rest,
    'signed-in': attribute(signedIn),
    class: className,
    // A part that hydrates late may find the number already drawn.
    suppressHydrationWarning: true,
  });
}

/**
 * Returns the number of saved items, without loading them: 0 on a server, and until it is known.
 * Follows changes here and in other tabs.
 */
export function useCount({ signedIn }: Shopper = {}): number {
  const wishlist = useWishlist();
  const known = attribute(signedIn) ?? null;
  useEffect(() => {
    wishlist.signedIn = known;
    const look = () => wishlist.look(true);
    wishlist.look();
    addEventListener('focus', look);
    return () => removeEventListener('focus', look);
  }, [wishlist, known]);
  return useSyncExternalStore(
    (changed) => {
      wishlist.addEventListener('count', changed);
      return () => wishlist.removeEventListener('count', changed);
    },
    () => wishlist.count,
    () => 0,
  );
}

/** Calls `added` and `removed` once for each change that the service confirmed, pressed in this tab. */
export function useWishlistEvents(handlers: {
  added?: ((saved: Confirmed) => void) | undefined;
  removed?: ((saved: Confirmed) => void) | undefined;
}): void {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const removal = new AbortController();
    for (const name of ['added', 'removed'] as const) {
      const call = (event: Event) => latest.current[name]?.((event as CustomEvent).detail);
      document.addEventListener(`wishlist-${name}`, call, removal);
    }
    return () => removal.abort();
  }, []);
}
