import { createHydrogenContext } from '@shopify/hydrogen';
import { createRequestHandler } from '@shopify/hydrogen/oxygen';
import { createCookieSessionStorage } from 'react-router';
import * as build from 'virtual:react-router/server-build';

export default {
  async fetch(request, env, execution) {
    const storage = createCookieSessionStorage({
      cookie: { name: 'session', httpOnly: true, sameSite: 'lax', secrets: [env.SESSION_SECRET] },
    });
    const session = await storage.getSession(request.headers.get('Cookie'));
    session.commit = () => storage.commitSession(session);
    const waitUntil = execution.waitUntil.bind(execution);
    const getLoadContext = () => createHydrogenContext({ env, request, session, waitUntil });
    return createRequestHandler({ build, getLoadContext })(request);
  },
};
