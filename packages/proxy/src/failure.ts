const PHRASES = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Content Too Large',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

export type FailureStatus = keyof typeof PHRASES;

/** Returns an error response of this proxy, in the same envelope as the service's. */
export function failure(
  status: FailureStatus,
  message: string,
  requestId: string,
  method: string,
): Response {
  const error = { message, error: PHRASES[status], statusCode: status, requestId };
  const headers = new Headers({ 'content-type': 'application/json', 'x-request-id': requestId });
  headers.set('cache-control', 'private, no-store');
  if (status === 503) headers.set('retry-after', '1');
  return new Response(method === 'HEAD' ? null : JSON.stringify({ error }), { status, headers });
}
