import type { components } from './api.js';

type Envelope = components['schemas']['ApiError'];

/** A stable name of an error's cause. `gateway_timeout` is the proxy's, `cookies-blocked` ours. */
export type ErrorCode = components['schemas']['ErrorCode'] | 'gateway_timeout' | 'cookies-blocked';

/** A failed request: a response that isn't 2xx, or (with status 0) no response at all. */
export class WishlistError extends Error {
  override readonly name = 'WishlistError';

  constructor(
    message: string,
    /** The HTTP status; 0 if there was no response. */
    readonly status = 0,
    headers?: Headers,
    body?: unknown,
  ) {
    const error = (body as Partial<Envelope> | null | undefined)?.error;
    super(error?.message ?? message);
    this.code = error?.code;
    this.requestId = error?.requestId ?? headers?.get('x-request-id') ?? undefined;
    this.retryAfter = headers && retryAfter(headers);
  }

  /** The cause; undefined if there was no response of the service. */
  declare readonly code: ErrorCode | undefined;
  /** Whether a <wishlist-toast> has shown it. */
  shown?: boolean;
  /** The id of the request in the service's log. */
  declare readonly requestId: string | undefined;
  /** Seconds to wait before a retry, 0 to 60, if the service asks for it. */
  declare readonly retryAfter: number | undefined;
}

/** Returns the seconds in `Retry-After`, limited to 0 to 60; undefined without the header. */
export function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  // A date is compared with the service's clock, because the shopper's may be wrong (clock skew).
  const seconds = /^\d+$/.test(text)
    ? +text
    : (Date.parse(text) - (Date.parse(headers.get('date')!) || Date.now())) / 1000;
  return isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), 60);
}
