import type { IncomingMessage, ServerResponse } from 'node:http';
import { failure, type FailureStatus } from './failure.js';
import { forward, LARGEST, type Options } from './index.js';

type ExpressRequest = IncomingMessage & { originalUrl?: string; protocol?: string; ip?: string };
type Next = (error: unknown) => void;

// fetch joins repeated headers into one, so the service couldn't detect and refuse them.
const SINGLE = ['content-type', 'origin', 'sec-fetch-site'];

/**
 * Returns `forward` as middleware for Express. The options may be a function of the request. The
 * client's address is `request.ip` unless the options have one, and the scheme `request.protocol`:
 * see Express's `trust proxy`. Mount it before any body parser.
 */
export function express<R extends IncomingMessage>(
  options: Options | ((request: R) => Options | Promise<Options>),
): (request: R, response: ServerResponse, next: Next) => void {
  return (request, response, next) => {
    const chosen = typeof options === 'function' ? options(request) : options;
    answer(request, response, chosen).catch((error: unknown) => {
      // The browser has disconnected, so there is nobody to respond to and no error to handle.
      if (request.errored) response.destroy();
      else next(error);
    });
  };
}

async function answer(
  incoming: ExpressRequest,
  outgoing: ServerResponse,
  chosen: Options | Promise<Options>,
): Promise<void> {
  const options = { address: incoming.ip ?? incoming.socket.remoteAddress, ...(await chosen) };
  const scheme = incoming.protocol ?? ('encrypted' in incoming.socket ? 'https' : 'http');
  const host = incoming.headers.host ?? '';
  const target = incoming.originalUrl ?? incoming.url ?? '';
  const url = `${scheme}://${host}${target}`;
  const { method = 'GET' } = incoming;
  const wellFormed = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i.test(host) && /^\/[^#]*$/.test(target);
  const [path] = target.split('?');
  const repeated = [...SINGLE, ...(options.headers ?? [])].find(
    (name) => (incoming.headersDistinct[name.toLowerCase()] ?? []).length > 1,
  );
  const refuse = (status: FailureStatus, message: string) =>
    failure(status, message, crypto.randomUUID(), method);
  let response: Response;
  if (!wellFormed || !URL.canParse(url)) {
    response = refuse(400, 'The host or the path is malformed.');
  } else if (repeated !== undefined) {
    response = refuse(400, `${repeated}: must be sent only once.`);
  } else if (new URL(url).pathname !== path) {
    // fetch normalises paths, so it would request another one: `/a` for `/b/../a`.
    response = refuse(404, 'There is nothing at this path.');
  } else if (method === 'TRACE') {
    response = refuse(405, 'TRACE is not allowed.');
  } else {
    const body = ['GET', 'HEAD'].includes(method) ? null : await bodyOf(incoming);
    const headers = headersOf(incoming);
    response = await forward(new Request(url, { method, headers, body }), options);
  }
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers) {
    // Appended, because the shop may have set some already.
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
      // `forward` refuses a body that is too large. The rest is still read and discarded, because a
      // browser whose connection is closed while it sends doesn't read the response.
      if (size > LARGEST) done();
    });
    incoming.on('end', done);
    incoming.on('error', reject);
  });
}
