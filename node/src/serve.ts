/** The proxy by itself: the socket, its limits, the log, and the way out. */

import { createServer, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

import { envelope } from "./answer.js";
import { fromEnvironment } from "./environment.js";
import { BadSetting } from "./errors.js";
import { createProxy } from "./handler.js";
import { guarded, toNodeListener } from "./node.js";
import { nodeFetch } from "./requests.js";
import type { LogEntry } from "./settings.js";

const HEADERS_SECONDS = 10;
const REQUEST_SECONDS = 20;
const KEEP_ALIVE_SECONDS = 30;
const SHUTDOWN_SECONDS = 8;

/** Serves until SIGTERM or SIGINT. A bad setting is one line on standard error and exit code 1. */
export function main(environment: Readonly<Record<string, string | undefined>>): void {
  try {
    start(environment);
  } catch (error) {
    if (!(error instanceof BadSetting)) throw error;
    stop(error.message);
  }
}

function start(environment: Readonly<Record<string, string | undefined>>): void {
  const { options, host, port, trusted } = fromEnvironment(environment);
  const proxy = createProxy({ ...options, log, fetch: nodeFetch });
  const limits = {
    headersTimeout: HEADERS_SECONDS * 1000,
    requestTimeout: REQUEST_SECONDS * 1000,
    keepAliveTimeout: KEEP_ALIVE_SECONDS * 1000,
    connectionsCheckingInterval: 1000,
  };
  const server = createServer(limits, toNodeListener(proxy, { trusted }));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => refuse(error, socket));
  server.on("error", (error) => {
    stop(`${host}:${port} can't be listened on (${error.message}): set WISHWELL_PROXY_HOST and _PORT`);
  });
  server.listen(port, host, () => log({ event: "listening", level: "info", url: urlOf(server) }));
  // A log that nobody reads any more is lost; the proxy goes on.
  process.stdout.on("error", () => undefined);
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => end(server));
}

function end(server: Server): void {
  server.close(() => process.exit(0));
  // A browser keeps its connection: from the end of its request on, it is not waited for.
  setInterval(() => server.closeIdleConnections(), 50).unref();
  setTimeout(() => server.closeAllConnections(), SHUTDOWN_SECONDS * 1000).unref();
}

function stop(reason: string): never {
  process.stderr.write(`Error: ${reason.replaceAll(/\s+/g, " ")}\n`);
  process.exit(1);
}

/** Answers what is no HTTP, or too slow or too large for it, and closes. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const [status, message] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? ([431, "The request line and headers are too large."] as const)
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? ([408, "The request did not arrive in time."] as const)
        : ([400, "The request is malformed."] as const);
  const requestId = crypto.randomUUID();
  const answer = envelope(status, message, requestId);
  const headers = { ...guarded(answer.headers), date: new Date().toUTCString(), connection: "close" };
  const body = String(answer.body);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = `content-length: ${Buffer.byteLength(body)}\r\n`;
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}${length}\r\n${body}`);
  log({ event: "refused", level: "info", requestId, status, reason: error.code ?? "" });
}

function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string") return "";
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

function log(entry: LogEntry): void {
  process.stdout.write(`${JSON.stringify({ ...entry, time: new Date().toISOString() })}\n`);
}
