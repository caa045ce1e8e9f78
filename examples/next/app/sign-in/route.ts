import { openSession } from '../session';

export async function POST() {
  const session = await openSession();
  session.customerId = '1001'; // once the password is checked
  await session.save();
  return new Response(null, { status: 303, headers: { Location: '/' } });
}
