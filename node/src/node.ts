/** The adapter for Node: `http.createServer`, Express and whatever takes a listener. */

import type { IncomingMessage, ServerResponse } from "node:http";

import { type Answer, envelope } from "./answer.js";
import type { Context, Proxy } from "./handler.js";
import { list } from "./settings.js";
import { shopperOf, trustedOf } from "./trusted.js";

export { nodeFetch } from "./requests.js";

/** How many bytes of a body that was refused are read and dropped before the connection goes. */
const DROPPED = 8 * 1024 * 1024;

/** How long such a connection is kept for the rest of its body. */
const LINGER_SECONDS = 2;

/** Two readers could take a request for different ones where these are there twice. */
const ONCE = new Set(["host", "content-type", "content-length", "origin", "sec-fetch-site"]);

export interface ListenerOptions {
  /** Addresses or networks whose X-Forwarded-Proto and -Host count; default none. */
  readonly trusted?: string | readonly string[];
  /** The customer's id or GID, from the framework's own request; null is nobody. */
  readonly customer?: (request: IncomingMessage) => Promise<string | null> | string | null;
}

export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** A listener that answers with the proxy. Mount it before anything that reads bodies. */
export function toNodeListener(proxy: Proxy, options: ListenerOptions = {}): Listener {
  const { trusted = [] } = options;
  const networks = list(trusted);
  const trusts = trustedOf(networks);
  return (incoming, outgoing) => {
    respond(incoming, outgoing).catch((error: unknown) => {
      outgoing.destroy(error instanceof Error ? error : undefined);
    });
  };

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const reads = !["GET", "HEAD"].includes(incoming.method ?? "") && hasBody(incoming);
    const body = reads && !incoming.readableEnded ? bodyOf(incoming) : null;
    const peer = incoming.socket.remoteAddress ?? "";
    const request = requestOf(incoming, trusts(peer), body);
    const done = () => body?.drop();
    if (typeof request === "string") return refuse(outgoing, incoming, done, 400, request);
    if (reads && incoming.readableEnded && incoming.headers["content-length"] !== "0") {
      const message = "The body was read before the proxy: mount it before the body parser.";
      return refuse(outgoing, incoming, done, 500, message);
    }
    const forwarded = incoming.headers["x-forwarded-for"];
    // Where none is named, the sender may be a proxy that all shoppers come through.
    const address = networks.length > 0 ? shopperOf(peer, forwarded?.toString(), trusts) : null;
    let context: Context = { target: targetOf(incoming), address };
    if (options.customer) {
      try {
        context = { ...context, customer: await options.customer(incoming) };
      } catch {
        return refuse(outgoing, incoming, done, 500, "The shop could not say who is shopping.");
      }
    }
    await write(await proxy(request, context), incoming, outgoing, done);
  }
}

/** What was asked for, as it was sent: Express keeps it when it takes a mount path off. */
function targetOf(incoming: IncomingMessage): string {
  const { originalUrl } = incoming as IncomingMessage & { originalUrl?: string };
  return originalUrl ?? incoming.url ?? "";
}

interface Body {
  readonly stream: ReadableStream<Uint8Array>;
  readonly drop: () => void;
}

/** The web's request, or why there can't be one. */
function requestOf(incoming: IncomingMessage, trusted: boolean, body: Body | null): Request | string {
  const target = targetOf(incoming);
  if (!target.startsWith("/")) return "The request must name a path.";
  const headers = headersOf(incoming);
  if (headers === null) return "A header is malformed, or there twice.";
  const host = hostOf(headers, trusted);
  if (host === null) return "The Host is malformed.";
  const method = incoming.method ?? "GET";
  // Fetch makes no Request of these; OPTIONS, too, is a method that no path takes.
  const known = ["TRACE", "CONNECT", "TRACK"].includes(method) ? "OPTIONS" : method;
  const url = `${schemeOf(incoming, trusted)}://${host}${target}`;
  if (!URL.canParse(url)) return "The request's address is malformed.";
  return new Request(url, { method: known, headers, body: body?.stream ?? null, duplex: "half" } as RequestInit);
}

function hasBody(incoming: IncomingMessage): boolean {
  const { headers } = incoming;
  return headers["transfer-encoding"] !== undefined || headers["content-length"] !== undefined;
}

function headersOf(incoming: IncomingMessage): Headers | null {
  const { rawHeaders: raw } = incoming;
  const headers = new Headers();
  const cookies: string[] = [];
  try {
    for (let at = 0; at + 1 < raw.length; at += 2) {
      const [name, value] = [raw[at]?.toLowerCase() ?? "", raw[at + 1] ?? ""];
      if (ONCE.has(name) && headers.has(name)) return null;
      if (name === "cookie") cookies.push(value);
      else headers.append(name, value);
    }
    // HTTP/2 may split it, and its parts are joined with another sign than those of the others.
    if (cookies.length > 0) headers.set("cookie", cookies.join("; "));
  } catch {
    return null;
  }
  return headers;
}

function hostOf(headers: Headers, trusted: boolean): string | null {
  const forwarded = trusted ? last(headers.get("x-forwarded-host")) : null;
  const host = forwarded ?? headers.get("host") ?? "localhost";
  return /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$/.test(host) ? host : null;
}

function schemeOf(incoming: IncomingMessage, trusted: boolean): "http" | "https" {
  const said = trusted ? last(String(incoming.headers["x-forwarded-proto"] ?? "")) : null;
  if (said === "https" || said === "http") return said;
  return "encrypted" in incoming.socket && incoming.socket.encrypted ? "https" : "http";
}

/** What the trusted proxy itself added: anything before it may be the browser's. */
function last(value: string | null): string | null {
  const final = (value ?? "").split(",").at(-1)?.trim().toLowerCase();
  return final ? final : null;
}

/** The body; `drop` lets go of the request, and what is still to come is no longer read here. */
function bodyOf(incoming: IncomingMessage): Body {
  let open = true;
  const drop = () => {
    open = false;
  };
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const end = (act: () => void) => () => {
        if (open) act();
        drop();
      };
      incoming.on("data", (chunk: Buffer) => {
        if (!open) return;
        controller.enqueue(new Uint8Array(chunk));
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.on("end", end(() => controller.close()));
      const broken = end(() => controller.error(new Error("The connection ended early.")));
      incoming.on("error", broken);
      incoming.on("close", broken);
    },
    pull() {
      incoming.resume();
    },
    // To destroy the request, as Node's own adapter does, would take the answer's connection too.
    cancel: drop,
  });
  return { stream, drop };
}

async function write(
  response: Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  done: () => void,
): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers) {
    if (name !== "set-cookie") outgoing.setHeader(name, value);
  }
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) outgoing.appendHeader("set-cookie", cookies);
  send(outgoing, incoming, done, body);
}

function refuse(
  outgoing: ServerResponse,
  incoming: IncomingMessage,
  done: () => void,
  status: number,
  message: string,
): void {
  const answer: Answer = envelope(status, message, crypto.randomUUID());
  outgoing.statusCode = answer.status;
  for (const [name, value] of Object.entries(guarded(answer.headers))) outgoing.setHeader(name, value);
  send(outgoing, incoming, done, Buffer.from(answer.body ?? ""));
}

/** The headers of an answer that was given before the path was looked at. */
export function guarded(headers: Answer["headers"]): Record<string, string> {
  const guards = { "cache-control": "private, no-store", vary: "Cookie", "wishwell-shopper": "-" };
  return { ...headers, ...guards };
}

function send(
  outgoing: ServerResponse,
  incoming: IncomingMessage,
  done: () => void,
  body: Buffer,
): void {
  outgoing.end(body.length > 0 ? body : undefined);
  done();
  if (incoming.complete) return;
  // Who is still sending reads no answer if the connection is cut at once.
  let dropped = 0;
  incoming.on("data", (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > DROPPED) incoming.socket.destroy();
  });
  const timer = setTimeout(() => incoming.socket.destroy(), LINGER_SECONDS * 1000);
  incoming.on("close", () => clearTimeout(timer));
  incoming.resume();
}
