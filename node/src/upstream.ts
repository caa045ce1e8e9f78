/** One request to the API: within the time allowed, or `Refused` with 502, 503 or 504. */

import type { Answer } from "./answer.js";
import { Refused, Unreached } from "./errors.js";
import type { Settings } from "./settings.js";

/** Node's codes of a connection that was not made. After any other fault the request may be there. */
const UNMADE = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
]);

const IDEMPOTENT = new Set(["GET", "PUT", "DELETE"]);

interface Cause {
  readonly message?: string;
  readonly code?: string;
}

/** A request to the API; the path begins behind the API's address. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  /** Sending it twice does no harm, whatever the method. */
  readonly harmless?: boolean;
}

/** Sends and reads the whole answer. */
export async function ask(settings: Settings, call: Call, token: string): Promise<Answer> {
  const headers = new Headers(call.headers);
  headers.set("authorization", `Bearer ${token}`);
  const signal = AbortSignal.timeout(settings.timeout * 1000);
  let response: Awaited<ReturnType<Settings["fetch"]>>;
  let body: Uint8Array<ArrayBuffer>;
  try {
    const { method, body: sent } = call;
    const again = call.harmless === true || IDEMPOTENT.has(method);
    const options = { method, headers, body: sent, signal, again, redirect: "manual" } as const;
    response = await settings.fetch(settings.api + call.path, options);
    body = new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    throw failureOf(error, signal, settings);
  }
  if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
    settings.log({ event: "api_redirects", level: "error", status: response.status });
    throw new Refused(502, "The wishlist answered with a redirect.");
  }
  return { status: response.status, headers: Object.fromEntries(response.headers), body };
}

function failureOf(error: unknown, signal: AbortSignal, settings: Settings): Refused {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { message, code } = cause as Cause;
  settings.log({ event: "api_away", level: "warning", reason: message || code || String(cause) });
  if (error instanceof Unreached || (!signal.aborted && UNMADE.has(code ?? ""))) {
    const message = "The wishlist can't be reached just now. Nothing was done.";
    return new Refused(503, message, { "retry-after": "1" });
  }
  const doubt = "A change may or may not be done.";
  return new Refused(504, `The wishlist did not answer, or not to the end. ${doubt}`);
}
