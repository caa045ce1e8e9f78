import type { Wishlist } from '@wishwell/browser';
import { createContext, useContext, type ReactElement, type ReactNode } from 'react';

const Context = createContext<Wishlist | undefined>(undefined);

export interface WishlistProviderProps {
  /** One for the page, made outside of components. A server may share one: it sends nothing there. */
  wishlist: Wishlist;
  children?: ReactNode;
}

/** Gives the wishlist to all hooks and hearts below. */
export function WishlistProvider({ wishlist, children }: WishlistProviderProps): ReactElement {
  return <Context.Provider value={wishlist}>{children}</Context.Provider>;
}

/** The wishlist of the provider, for all that the hooks don't do. Throws without a provider. */
export function useWishlist(): Wishlist {
  const wishlist = useContext(Context);
  if (!wishlist) throw new Error('There is no <WishlistProvider> above this component.');
  return wishlist;
}
