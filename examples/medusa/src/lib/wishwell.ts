import { setTimeout } from 'node:timers/promises';

import type { MedusaContainer } from '@medusajs/framework/types';
import {
  ContainerRegistrationKeys,
  getVariantAvailability,
  Modules,
  ProductStatus,
  QueryContext,
} from '@medusajs/framework/utils';

/** What one request may hold, and one page of the answer. */
export const BATCH = 250;
/** Tries of a request, over half a minute. */
const TRIES = 5;

/** What Medusa's types leave out of a variant. */
type Priced = { calculated_price?: { calculated_amount: number | null } | null };

/** Products that a call is about to read; another one would tell the same. */
const waiting = new Set<string>();

/** Tells Wishwell what the shop knows of these products; what it does not sell is forgotten. */
export async function tell(container: MedusaContainer, ids: string[]): Promise<void> {
  const own = ids.filter((id) => !waiting.has(id)).sort();
  for (let at = 0; at < own.length; at += BATCH) {
    const batch = own.slice(at, at + BATCH);
    const begun = () => batch.forEach((id) => waiting.delete(id));
    batch.forEach((id) => waiting.add(id));
    // Nobody else reads a product before this has told what it has read, so the newest comes last.
    const keys = batch.map((id) => `wishwell:${id}`);
    await container
      .resolve(Modules.LOCKING)
      .execute(keys, () => (begun(), tellNow(container, batch)), { timeout: 60 })
      .finally(begun);
  }
}

/** Tells all products, and what has gone since the last time. */
export async function tellAll(container: MedusaContainer): Promise<void> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const told = new Set<string>();
  for (let last = ''; ;) {
    const { data } = await query.graph({
      entity: 'product',
      fields: ['id'],
      filters: { id: { $gt: last }, status: ProductStatus.PUBLISHED },
      pagination: { take: BATCH, order: { id: 'ASC' } },
    });
    if (!data.length) break;
    const ids = data.map((product) => product.id);
    await tell(container, ids);
    ids.forEach((id) => told.add(id));
    last = ids[ids.length - 1];
  }
  for (let page: string | undefined = ''; page !== undefined;) {
    const answer = await ask('GET', `/products?limit=${BATCH}${page && `&page=${page}`}`);
    const { data, pageInfo } = (await answer.json()) as {
      data: { productId: string }[];
      pageInfo?: { next?: string };
    };
    // Some are new since Medusa was read above, so it is asked again.
    await tell(
      container,
      data.map((product) => product.productId).filter((id) => !told.has(id)),
    );
    page = pageInfo?.next;
  }
}

async function tellNow(container: MedusaContainer, ids: string[]): Promise<void> {
  const products = await read(container, ids);
  await put(container, 'products', products);
  const told = new Set(products.map((product) => product.productId));
  for (const id of ids.filter((id) => !told.has(id)))
    await ask('DELETE', `/products/${id}`, undefined, [404]);
}

/** The published products among these, in the sales channel of the settings. */
async function read(container: MedusaContainer, ids: string[]) {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const price = {
    region_id: setting('WISHLIST_REGION'),
    currency_code: setting('WISHLIST_CURRENCY'),
  };
  const channel = setting('WISHLIST_SALES_CHANNEL');
  const { data } = await query.graph({
    entity: 'product',
    fields: [
      ...['id', 'title', 'handle', 'thumbnail', 'sales_channels.id'],
      ...['variants.id', 'variants.title', 'variants.thumbnail', 'variants.calculated_price.*'],
      ...['variants.manage_inventory', 'variants.allow_backorder'],
    ],
    filters: { id: ids, status: ProductStatus.PUBLISHED },
    context: { variants: { calculated_price: QueryContext(price) } },
  });
  const sold = data.filter((product) => product.sales_channels?.some((one) => one?.id === channel));
  const stock = await getVariantAvailability(query, {
    variant_ids: sold.flatMap((product) => product.variants.map((variant) => variant.id)),
    sales_channel_id: channel,
  });
  return sold.map((product) => {
    const variants = product.variants.slice(0, BATCH).map((variant) => ({
      variantId: variant.id,
      title: product.variants.length > 1 ? variant.title : undefined,
      image: address(variant.thumbnail),
      price: money((variant as Priced).calculated_price?.calculated_amount, price.currency_code),
      available:
        !variant.manage_inventory ||
        variant.allow_backorder ||
        (stock[variant.id]?.availability ?? 0) > 0,
    }));
    const prices = variants.map((variant) => variant.price);
    return {
      productId: product.id,
      title: product.title,
      url: setting('WISHLIST_PRODUCT_URL').replace('{handle}', encodeURIComponent(product.handle)),
      image: address(product.thumbnail),
      // None where a variant has none: it would be taken for that variant's.
      price: prices.includes(undefined) ? undefined : prices.sort(cheapest)[0],
      available: variants.some((variant) => variant.available),
      variants,
    };
  });
}

type Money = ReturnType<typeof money>;

export function money(amount: number | null | undefined, code: string) {
  if (amount === null || amount === undefined) return undefined;
  const currency = code.toUpperCase();
  const format = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  return { amount: amount.toFixed(format.maximumFractionDigits), currency };
}

const cheapest = (one: Money, other: Money) => Number(one?.amount) - Number(other?.amount);

function address(image: string | null | undefined): string | undefined {
  return image?.match(/^https?:/) && URL.canParse(image) ? new URL(image).href : undefined;
}

type Outcome = { result: string; code?: string; details?: object[] };

/** Sends products or orders. One that Wishwell refuses is logged, and the others are applied. */
export async function put(
  container: MedusaContainer,
  kind: 'products' | 'orders',
  records: object[],
): Promise<void> {
  if (!records.length) return;
  // 409: the store has purchases off.
  const answer = await ask('PUT', `/${kind}`, { [kind]: records }, [400, 409, 413]);
  if (answer.ok && kind === 'orders') {
    const { data } = (await answer.json()) as { data: Outcome[] };
    data.forEach((outcome, index) => {
      if (outcome.result === 'refused') logRefusal(container, kind, records[index], outcome);
    });
  }
  if (answer.ok || answer.status === 409) return;
  if (records.length > 1) {
    const half = records.length >> 1;
    await put(container, kind, records.slice(0, half));
    await put(container, kind, records.slice(half));
  } else {
    logRefusal(container, kind, records[0], await answer.json());
  }
}

function logRefusal(container: MedusaContainer, kind: string, record: object, why: unknown) {
  const start = JSON.stringify(record).slice(0, 100);
  const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
  logger.error(`Wishwell refuses one of the ${kind}, ${start}: ${JSON.stringify(why)}`);
}

export async function ask(
  method: string,
  path: string,
  body?: unknown,
  allowed: number[] = [],
): Promise<Response> {
  const url = `${setting('WISHLIST_API')}/api/2025-04${path}`;
  const headers = {
    Authorization: `Bearer ${setting('WISHLIST_TOKEN')}`,
    'Content-Type': 'application/json',
  };
  for (let tries = 1; ; tries++) {
    const signal = AbortSignal.timeout(30_000);
    const answer = await fetch(url, { method, headers, body: JSON.stringify(body), signal }).catch(
      () => null,
    );
    if (answer?.ok || (answer && allowed.includes(answer.status))) return answer;
    const again = !answer || answer.status === 429 || answer.status >= 500;
    if (!again || tries === TRIES) {
      throw new Error(`Wishwell, ${method} ${path}: ${answer ? await answer.text() : 'no answer'}`);
    }
    await setTimeout(1000 * (Number(answer?.headers.get('Retry-After')) || 2 ** tries));
  }
}

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}
