// The requests of a visitor where the platform removes cookies. A page with a visitor's key loads this
// module, which sends them to the service's own address, with a token that is only in memory. Requests of
// customers, and of visitors who have saved nothing, go through the platform's proxy.
import type { Answer, Request } from './request.js';

/** What the first save returned next to `data`; `service` is an origin. */
export interface Visitor {
  key: string;
  service: string;
}

interface Token {
  token: string;
  /** The `Wishwell-Shopper` of the visitor. */
  shopper: string;
  ends: number;
}

type Send = (call: Request) => Promise<Answer>;
type Store = (visitor?: Visitor) => void;

const API = '/api/2025-04';
const EARLY = 30_000; // ms before its end at which a token is replaced

/** The tokens by key; undefined if the proxy has to be used, and an error as it was returned. */
const tokens = new Map<string, Promise<Token | Answer | undefined>>();

/** Sends a request of the storefront as the visitor, or without key if it has ended. */
export async function visit(
  call: Request,
  visitor: Visitor,
  send: Send,
  store: Store,
): Promise<Answer> {
  const { key, service } = visitor;
  const at = call.url.lastIndexOf('/api/');
  const base = call.url.slice(0, at);
  if (!isStored(base, key)) store();
  else {
    for (let last = false; ; last = true) {
      const asking = tokens.get(key) ?? ask(call, base, visitor, send, store);
      tokens.set(key, asking);
      const forget = () => tokens.get(key) === asking && tokens.delete(key);
      const token = await asking.catch((error) => {
        forget();
        throw error;
      });
      if (!token) break;
      if ('status' in token) {
        forget();
        return token;
      }
      const url = service + API + call.url.slice(at + 4);
      const headers = {
        authorization: `Bearer ${token.token}`,
        ...(call.body && { 'content-type': 'application/json' }),
      };
      const answer = Date.now() < token.ends && (await send({ ...call, url, headers }));
      if (answer && (answer.status !== 401 || last)) {
        const headers = new Headers(answer.headers);
        headers.set('wishwell-shopper', token.shopper);
        return { ...answer, headers };
      }
      forget();
    }
  }
  return send(call);
}

/** Returns whether the next page will know the key: storage may be blocked or full. */
function isStored(base: string, key: string) {
  try {
    return `${localStorage[`wishwell:${new URL(base).pathname}`]}`.includes(key);
  } catch {
    return false;
  }
}

/** Links the visitor's session if somebody has signed in; otherwise requests a token. */
async function ask(call: Request, base: string, visitor: Visitor, send: Send, store: Store) {
  const { key, service } = visitor;
  const post = async (root: string, name: string) => {
    const url = `${root}/api/visitor/${name}`;
    const body = JSON.stringify({ key });
    // Other requests wait for it, too, so that it doesn't end with this one.
    const answer = await send({ ...call, method: 'POST', url, body, signal: undefined });
    return { answer, data: answer.status < 300 && JSON.parse(answer.text).data };
  };
  const asking = post(service + new URL(base).pathname, 'token');
  asking.catch(() => {});
  // Only the proxy knows whether somebody has signed in, on this page or on another.
  const { answer: proxy, data: link } = await post(base, 'link');
  if (proxy.status > 401 && proxy.status !== 404) return proxy;
  const issued = link?.linked || proxy.status === 401 ? undefined : await asking;
  if (!issued || issued.answer.status === 401) {
    store();
    return undefined;
  }
  const { answer, data } = issued;
  if (!data) return answer;
  const token: Token = { ...data, ends: Date.now() + data.expiresIn * 1000 - EARLY };
  if (data.key) {
    tokens.set(data.key, Promise.resolve(token));
    store({ key: data.key, service });
  }
  return token;
}
