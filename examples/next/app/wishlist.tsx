'use client';

import { createWishlist } from '@wishwell/browser';
import { useItems, WishlistProvider } from '@wishwell/react';
import Link from 'next/link';
import type { ReactNode } from 'react';

// One for the page. A server that renders it sends nothing.
const wishlist = createWishlist();

export function Wishlist({ children }: { children: ReactNode }) {
  return <WishlistProvider wishlist={wishlist}>{children}</WishlistProvider>;
}

/** How many wishes there are, here and in every other tab. */
export function WishlistLink() {
  const { items } = useItems();
  return <Link href="/wishlist">Wishlist ({items.length})</Link>;
}
