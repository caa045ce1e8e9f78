const FAILURES = {
  400: ['Bad Request', 'invalid_request'],
  404: ['Not Found', 'path_not_found'],
  405: ['Method Not Allowed', 'method_not_allowed'],
  413: ['Content Too Large', 'body_too_large'],
  503: ['Service Unavailable', 'unavailable'],
  504: ['Gateway Timeout', 'gateway_timeout'],
} as const;

export type FailureStatus = keyof typeof FAILURES;

/** Returns an error response of this proxy, in the same envelope as the service's. */
export function failure(
  status: FailureStatus,
  message: string,
  requestId: string,
  method: string,
): Response {
  const [phrase, code] = FAILURES[status];
  const error = { message, error: phrase, statusCode: status, requestId, code };
  const headers = new Headers({ 'content-type': 'application/json', 'x-request-id': requestId });
  headers.set('cache-control', 'private, no-store');
  if (status === 503) headers.set('retry-after', '1');
  return new Response(method === 'HEAD' ? null : JSON.stringify({ error }), { status, headers });
}
