import { redirect } from 'react-router';

export function loader({ context }) {
  return { way: context.session.get('customerId') ? 'out' : 'in' };
}

export async function action({ request, context: { session } }) {
  const form = await request.formData();
  if (form.get('sign') === 'in')
    session.set('customerId', '1001'); // once they have signed in
  else session.unset('customerId');
  return redirect('/', { headers: { 'Set-Cookie': await session.commit() } });
}

export default function Product({ loaderData: { way } }) {
  return (
    <>
      <title>Mug</title>
      <h1>Mug</h1>
      <wishlist-button product-id="101" />
      <form method="post" action="/?index">
        <button name="sign" value={way}>
          Sign {way}
        </button>
      </form>
    </>
  );
}
