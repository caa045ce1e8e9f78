// Stands in for the service: keeps every request, and answers as a test says.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/** @typedef {{ method: string, target: string, headers: string[], body: string }} Seen */
/** @typedef {import('node:http').RequestListener} Listener */

/** @param {Listener} listener */
export async function listen(listener) {
  const server = createServer(listener);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, port, close };
}

export async function startService() {
  const service = {
    /** @type {Seen[]} */
    seen: [],
    /** @type {Listener} */
    answer(_, response) {
      response.end('{}');
    },
    url: '',
    close: async () => {},
    /** The last request's value of a header. @param {string} name */
    header(name) {
      const { headers } = service.seen.at(-1);
      return headers.find((_, at) => headers[at - 1]?.toLowerCase() === name && at % 2 === 1);
    },
    /** The names of the last request's headers. */
    names: () => service.seen.at(-1).headers.filter((_, at) => at % 2 === 0),
  };
  const { url, close } = await listen(async (request, response) => {
    const { method, url: target, rawHeaders: headers } = request;
    service.seen.push({ method, target, headers, body: await text(request) });
    service.answer(request, response);
  });
  return Object.assign(service, { url, close });
}
