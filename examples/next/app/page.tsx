import { WishlistButton } from '@wishwell/react';

export default function Product() {
  return (
    <>
      <title>Mug</title>
      <h1>Mug</h1>
      <WishlistButton productId={101} />
    </>
  );
}
