import { forward } from '@wishwell/proxy';

function answer({ request, context: { env, session } }) {
  return forward(request, {
    api: env.WISHWELL_API,
    token: env.WISHWELL_TOKEN,
    address: request.headers.get('oxygen-buyer-ip') ?? undefined,
    customer: session.get('customerId') ?? null,
  });
}

export { answer as action, answer as loader };
