import { renderToReadableStream } from 'react-dom/server';
import { ServerRouter } from 'react-router';

export default async function page(request, status, headers, context) {
  const body = await renderToReadableStream(<ServerRouter context={context} url={request.url} />);
  headers.set('Content-Type', 'text/html');
  return new Response(body, { status, headers });
}
