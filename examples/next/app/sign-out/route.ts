import { openSession } from '../session';

export async function POST() {
  (await openSession()).destroy();
  return new Response(null, { status: 303, headers: { Location: '/' } });
}
