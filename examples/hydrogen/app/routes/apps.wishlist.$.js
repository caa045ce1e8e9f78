import { forward } from '@wishwell/proxy';

function answer({ request, context: { env, session } }) {
  return forward(request, {
    api: env.WISHLIST_API,
    token: env.WISHLIST_TOKEN,
    address: request.headers.get('oxygen-buyer-ip') ?? undefined,
    customer: session.get('customerId') ?? null,
  });
}

export { answer as action, answer as loader };
