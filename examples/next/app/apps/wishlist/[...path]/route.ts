import { forward } from '@wishwell/proxy';
import { openSession } from '../../../session';

async function handler(request: Request) {
  const { customerId } = await openSession();
  return forward(request, {
    api: process.env.WISHLIST_API!,
    token: process.env.WISHLIST_TOKEN!,
    origin: process.env.SHOP_ORIGIN!,
    address: request.headers.get('x-real-ip') ?? undefined, // if your platform sets it
    customer: customerId ?? null,
  });
}

export { handler as DELETE, handler as GET, handler as HEAD, handler as PATCH };
export { handler as POST, handler as PUT };
