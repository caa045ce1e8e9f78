import { retryAfter, WishlistError } from './error.js';

const ATTEMPT = 15_000; // timeout of an attempt in ms; the service gives up sooner
const TRYING = 30_000; // ms from the first failure during which attempts are retried
const FIRST = 500; // initial backoff in ms; doubles up to LONGEST
const LONGEST = 8_000; // maximum backoff in ms
const KEPT = 20_000; // characters of a `keepalive` body; browsers allow 64 KiB in all

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** Number of failed attempts before this response. */
  tries: number;
}

export interface Request {
  method: string;
  url: string;
  body?: string | undefined;
  signal?: AbortSignal | undefined;
  /** By default those of a JSON body. */
  headers?: Record<string, string>;
  /** Whether the request is idempotent. */
  repeatable: boolean;
}

/**
 * Sends a request, and retries it for up to 30 s if that is harmless: after 429 always, because
 * nothing was done; after no response, 502, 503 and 504 if it is repeatable (idempotent). Waits as
 * `Retry-After` says, at most 60 s, or else with exponential backoff or until the browser is online
 * again. Resolves to the last response, whatever its status. Throws WishlistError if there was
 * none, and the signal's reason.
 */
export async function request(call: Request): Promise<Answer> {
  let failed = 0;
  for (let tries = 0; ; tries++) {
    let answer: Omit<Answer, 'tries'> | undefined;
    try {
      answer = await attempt(call);
    } catch {
      call.signal?.throwIfAborted();
    }
    const status = answer?.status ?? 0;
    failed ||= Date.now();
    const left = failed + TRYING - Date.now();
    const again =
      status === 429 || (call.repeatable && (!status || (status > 501 && status < 505)));
    if (!again || left <= 0) {
      if (answer) return { ...answer, tries };
      throw new WishlistError('The wishlist is unreachable.');
    }
    // Jitter, so that pages that failed at the same time don't retry at the same time.
    const backoff = (Math.min(LONGEST, FIRST * 2 ** tries) * (1 + Math.random())) / 2;
    const wait = answer && retryAfter(answer.headers);
    await (wait === undefined
      ? pause(Math.min(backoff, left), call.signal, 'online')
      : pause(wait * 1000 + Math.random() * FIRST, call.signal));
  }
}

async function attempt({
  method,
  url,
  body,
  signal,
  headers = body ? { 'content-type': 'application/json' } : {},
}: Request) {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const stop = () => controller.abort();
  const timer = setTimeout(stop, ATTEMPT);
  signal?.addEventListener('abort', stop);
  try {
    const answer = await fetch(url, {
      method,
      headers,
      body: body ?? null,
      // A save must outlive the page, because a shopper may click a heart and then a link.
      keepalive: method !== 'GET' && !(body && body.length > KEPT),
      signal: controller.signal,
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** Waits `ms`, or until the window's `event`. Throws the signal's reason. */
function pause(ms: number, signal?: AbortSignal, event = ''): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = () => {
      clearTimeout(timer);
      globalThis.removeEventListener?.(event, done);
      signal?.removeEventListener('abort', done);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(done, ms);
    globalThis.addEventListener?.(event, done);
    signal?.addEventListener('abort', done);
  });
}
