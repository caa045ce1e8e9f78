// A wishlist service as a good engineer writes it with Fastify: schemas for requests and responses,
// @fastify/jwt, @fastify/rate-limit, and `pg` or `better-sqlite3`. It reads and writes Wishwell's
// tables, accepts its tokens and sends its answers, for the four requests that are compared. It
// has no events, limits per profile, log or metrics.
//
// FASTIFY_DATABASE, FASTIFY_KEY and FASTIFY_STORE: the database's URL, the signing key, the store's id.
import Fastify from 'fastify';
import jwt from '@fastify/jwt';
import rateLimit from '@fastify/rate-limit';
import { v5, v7 } from 'uuid';
import * as postgresql from './postgresql.js';
import * as sqlite from './sqlite.js';

const { FASTIFY_DATABASE: url, FASTIFY_KEY: secret, FASTIFY_STORE: store } = process.env;
const database = (url.startsWith('sqlite:') ? sqlite : postgresql).open(url);
const id = { type: 'string', format: 'uuid' };
const texts = { type: 'array', items: { type: 'string' } };
const item = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    productId: { type: 'integer' },
    variantId: { type: 'integer' },
    quantity: { type: 'integer' },
    tags: texts,
    note: { type: 'string' },
    listIds: texts,
    createdAt: { type: 'string' },
    updatedAt: { type: 'string' },
  },
};
const one = { type: 'object', properties: { data: item } };
const many = {
  type: 'object',
  properties: {
    data: { type: 'array', items: item },
    pageInfo: { type: 'object', properties: { next: { type: 'string' } } },
  },
};

const app = Fastify({ genReqId: () => crypto.randomUUID() });
await app.register(jwt, {
  secret,
  verify: { algorithms: ['HS256'], allowedAud: store, cache: 10_000 },
});
app.decorateRequest('profile', '');
app.addHook('onRequest', async (request, reply) => {
  reply.header('x-request-id', request.id);
  await request.jwtVerify();
  request.profile = v5(request.user.sub, store);
});
await app.register(rateLimit, {
  hook: 'preHandler',
  max: 10_000_000,
  timeWindow: 60_000,
  cache: 100_000,
  keyGenerator: (request) => request.profile,
});
app.addHook('onSend', async (_request, reply) => {
  reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
});

function record(row) {
  return {
    id: row.id,
    productId: Number(row.product_id),
    variantId: row.variant_id ? Number(row.variant_id) : undefined,
    quantity: row.quantity,
    tags: row.tags ? row.tags.split(' ') : [],
    note: row.note || undefined,
    listIds: row.list_ids ? row.list_ids.split(' ') : [],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const querystring = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 250, default: 50 },
    page: id,
    query: { type: 'string', pattern: '^product:[0-9]+(,[0-9]+)*$' },
  },
  additionalProperties: false,
};
app.get('/items', { schema: { querystring, response: { 200: many } } }, async (request) => {
  const { limit, page, query } = request.query;
  const products = query?.slice('product:'.length).split(',');
  const rows = await database.page(request.profile, page, products, limit + 1);
  const more = rows.length > limit;
  const data = rows.slice(0, limit).map(record);
  return { data, pageInfo: more ? { next: data.at(-1).id } : undefined };
});

const params = { type: 'object', properties: { id } };
app.get('/items/:id', { schema: { params, response: { 200: one } } }, async (request, reply) => {
  const row = await database.item(request.profile, request.params.id);
  if (!row) return reply.code(404).send({ message: 'There is no such item.' });
  return { data: record(row) };
});

const body = {
  type: 'object',
  required: ['productId'],
  properties: {
    productId: { type: 'integer', minimum: 1 },
    variantId: { type: 'integer', minimum: 1 },
    quantity: { type: 'integer', minimum: 1, maximum: 1_000_000, default: 1 },
  },
  additionalProperties: false,
};
app.post('/items', { schema: { body, response: { '2xx': one } } }, async (request, reply) => {
  const { productId, variantId = '', quantity } = request.body;
  const now = new Date().toISOString();
  const row = await database.save(
    request.profile,
    v7(),
    store,
    `${productId}`,
    `${variantId}`,
    quantity,
    now,
  );
  if (row.created) reply.code(201).header('location', `/items/${row.id}`);
  return { data: record(row) };
});

await app.listen({ host: '127.0.0.1', port: Number(process.argv[2]) });
process.on('SIGTERM', () => app.close().then(database.close));
