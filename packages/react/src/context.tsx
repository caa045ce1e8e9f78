import type { Wishlist } from '@wishwell/browser';
import { createContext, useContext, type ReactElement, type ReactNode } from 'react';

const Context = createContext<Wishlist | undefined>(undefined);

export interface WishlistProviderProps {
  /** Made once, outside of components. A server may share it, because it sends nothing there. */
  wishlist: Wishlist;
  children?: ReactNode;
}

/** Provides the wishlist to all hooks and hearts below. */
export function WishlistProvider({ wishlist, children }: WishlistProviderProps): ReactElement {
  return <Context.Provider value={wishlist}>{children}</Context.Provider>;
}

/** Returns the provider's wishlist, for tasks that no hook covers. Throws without a provider. */
export function useWishlist(): Wishlist {
  const wishlist = useContext(Context);
  if (!wishlist) throw new Error('There is no <WishlistProvider> above this component.');
  return wishlist;
}
