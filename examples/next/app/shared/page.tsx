import { WishlistShared } from '@wishwell/react';

export const metadata = { title: 'Shared wishlist', referrer: 'no-referrer', robots: { index: false } };

export default function Page() {
  return <WishlistShared ownPage="/wishlist" />;
}
