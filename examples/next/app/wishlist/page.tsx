import { WishlistPage } from '@wishwell/react';

export default function Page() {
  return (
    <>
      <title>Wishlist</title>
      <WishlistPage sharedPage="/shared#{token}" />
    </>
  );
}
