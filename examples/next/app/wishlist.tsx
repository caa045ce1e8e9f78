'use client';

import { createWishlist } from '@wishwell/browser';
import {
  useWishlistEvents,
  WishlistCount,
  WishlistProvider,
  WishlistToast,
} from '@wishwell/react';
import Link from 'next/link';
import type { ReactNode } from 'react';

// One for the page. A server that renders it sends nothing.
const wishlist = createWishlist();

export function Wishlist({ children }: { children: ReactNode }) {
  return <WishlistProvider wishlist={wishlist}>{children}</WishlistProvider>;
}

/** The link with the number of wishes, here and in every other tab. */
export function WishlistLink({ signedIn }: { signedIn?: string }) {
  return (
    <Link href="/wishlist">
      Wishlist <WishlistCount signedIn={signedIn} />
    </Link>
  );
}

/** What answers a press: messages with "Undo", and one event for the shop's analytics. */
export function Answers() {
  useWishlistEvents({
    added: ({ productId, quantity }) => console.log('add_to_wishlist', productId, quantity),
    removed: ({ productId }) => console.log('remove_from_wishlist', productId),
  });
  return <WishlistToast page="/wishlist" />;
}
