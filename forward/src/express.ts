import type { IncomingMessage, ServerResponse } from 'node:http';
import { failure } from './failure.js';
import { forward, LARGEST, type Options } from './index.js';

type Given = IncomingMessage & { originalUrl?: string; protocol?: string; ip?: string };
type Next = (error: unknown) => void;

// A request of fetch has one value of each, and the service would not see that there were two.
const ONCE = ['content-type', 'origin', 'sec-fetch-site'];

/**
 * `forward` as middleware for Express. The options may be a function of the request. Unless they say
 * otherwise, the address is `request.ip`, and the scheme `request.protocol`: see `trust proxy`. It
 * must come before anything that reads bodies.
 */
export function express<R extends IncomingMessage>(
  options: Options | ((request: R) => Options | Promise<Options>),
): (request: R, response: ServerResponse, next: Next) => void {
  return (request, response, next) => {
    const given = typeof options === 'function' ? options(request) : options;
    answer(request, response, given).catch((error: unknown) => {
      // The browser has gone: nobody reads an answer, and it is no fault of the shop.
      if (request.errored) response.destroy();
      else next(error);
    });
  };
}

async function answer(
  incoming: Given,
  outgoing: ServerResponse,
  given: Options | Promise<Options>,
): Promise<void> {
  const options = { address: incoming.ip ?? incoming.socket.remoteAddress, ...(await given) };
  const scheme = incoming.protocol ?? ('encrypted' in incoming.socket ? 'https' : 'http');
  const host = incoming.headers.host ?? '';
  const target = incoming.originalUrl ?? incoming.url ?? '';
  const url = `${scheme}://${host}${target}`;
  const { method = 'GET' } = incoming;
  const plain = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i.test(host) && /^\/[^#]*$/.test(target);
  const [path] = target.split('?');
  const twice = [...ONCE, ...(options.headers ?? [])].find(
    (name) => (incoming.headersDistinct[name.toLowerCase()] ?? []).length > 1,
  );
  let response: Response;
  if (!plain || !URL.canParse(url)) {
    response = failure(400, 'The host or the path is malformed.', crypto.randomUUID(), method);
  } else if (twice !== undefined) {
    response = failure(400, `${twice}: must be sent only once.`, crypto.randomUUID(), method);
  } else if (new URL(url).pathname !== path) {
    // A request of fetch would lead elsewhere: to `/a` for `/b/../a`.
    response = failure(404, 'There is nothing at this path.', crypto.randomUUID(), method);
  } else if (method === 'TRACE') {
    response = failure(405, 'TRACE is not allowed.', crypto.randomUUID(), method);
  } else {
    const body = ['GET', 'HEAD'].includes(method) ? null : await bodyOf(incoming);
    const headers = headersOf(incoming);
    response = await forward(new Request(url, { method, headers, body }), options);
  }
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers) {
    // Of these, the shop may have set some already.
    if (['set-cookie', 'vary'].includes(name)) outgoing.appendHeader(name, value);
    else outgoing.setHeader(name, value);
  }
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    headers.set(name, values.join(name === 'cookie' ? '; ' : ', '));
  }
  return headers;
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer<ArrayBuffer> | null> {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = incoming.headers;
  if (coding === undefined && Number(length) === 0) return null;
  if (incoming.readableEnded) {
    throw new Error('@wishwell/proxy: the body was read before; mount it before the body parser');
  }
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    const done = () => resolve(Buffer.concat(parts));
    incoming.on('data', (part: Buffer) => {
      if (size <= LARGEST) parts.push(part);
      size += part.length;
      // What is too large is refused by `forward`. The rest is dropped as it comes: a browser that
      // is cut off while it sends reads no answer.
      if (size > LARGEST) done();
    });
    incoming.on('end', done);
    incoming.on('error', reject);
  });
}
