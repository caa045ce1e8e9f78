import { openSession } from './session';

export default async function Product() {
  const way = (await openSession()).customerId ? 'out' : 'in';
  return (
    <>
      <title>Mug</title>
      <h1>Mug</h1>
      <wishlist-button product-id="101" />
      <form method="post" action={`/sign-${way}`}>
        <button>Sign {way}</button>
      </form>
    </>
  );
}
