// A shop of several names with Express, as a program: tests/forward/ways.py of the service starts it.
import { readFileSync } from 'node:fs';
import app from 'express';
import { express } from '../dist/express.js';

const { HEADERS, PORT, TOKENS, WISHLIST_API: api, WISHLIST_BASE: base } = process.env;
const headers = HEADERS.split(' ').filter(Boolean);

const shop = app();
shop.disable('x-powered-by');
shop.get('/up', (_request, response) => {
  response.send('ok');
});
shop.use(
  base,
  express((request) => {
    const tokens = JSON.parse(readFileSync(TOKENS, 'utf8'));
    const token = tokens[request.headers.host] ?? Object.values(tokens)[0];
    return { api, token, base, headers };
  }),
);
shop.listen(Number(PORT), '127.0.0.1');
