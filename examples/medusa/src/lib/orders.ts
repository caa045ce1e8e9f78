import type { MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys, Modules } from '@medusajs/framework/utils';

import { ask, BATCH, money } from './wishwell';

const DAY = 86_400_000;
/** Days of changed orders that the job sends again. */
const DAYS = 2;

/**
 * Sends the orders with these ids, so that Wishwell finds the wishes among them. Orders that didn't
 * change are sent again; Wishwell counts each order once.
 */
export async function sendOrders(container: MedusaContainer, ids: string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += BATCH) {
    const batch = ids.slice(at, at + BATCH).sort();
    // Under the lock, the version that was read last is also sent last.
    const keys = batch.map((id) => `wishwell:${id}`);
    await container
      .resolve(Modules.LOCKING)
      .execute(keys, () => sendNow(container, batch), { timeout: 60 });
  }
}

/** Sends the orders that changed in the last days, for events that were missed. */
export async function sendChangedOrders(container: MedusaContainer): Promise<void> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const changed = { $gt: new Date(Date.now() - DAYS * DAY) };
  for (let last = ''; ;) {
    const { data } = await query.graph({
      entity: 'order',
      fields: ['id'],
      filters: { id: { $gt: last }, updated_at: changed },
      pagination: { take: BATCH, order: { id: 'ASC' } },
    });
    if (!data.length) return;
    const ids = data.map((order) => order.id);
    await sendOrders(container, ids);
    last = ids[ids.length - 1];
  }
}

async function sendNow(container: MedusaContainer, ids: string[]): Promise<void> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const updatedAt = new Date().toISOString();
  const { data } = await query.graph({
    entity: 'order',
    fields: [
      ...['id', 'status', 'customer_id', 'currency_code', 'created_at', 'canceled_at'],
      // Without a total of the order, Medusa computes none of its items.
      ...['item_total', 'items.*', 'items.detail.*'],
    ],
    filters: { id: ids },
  });
  const orders = data
    .filter((order) => order.customer_id && order.status !== 'draft')
    .map((order) => ({
      orderId: order.id,
      profile: `gid://medusa/Customer/${order.customer_id}`,
      placedAt: new Date(order.created_at).toISOString(),
      updatedAt,
      status: order.canceled_at ? 'cancelled' : 'paid',
      lines: (order.items ?? []).flatMap((item) => line(item, order.currency_code)),
    }));
  if (!orders.length) return;
  // 409: the store has purchases off.
  const answer = await ask('PUT', '/orders', { orders }, [400, 409]);
  if (answer.status === 400) {
    const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
    logger.error(`Wishwell refuses orders ${ids[0]} to ${ids[ids.length - 1]}: ${await answer.text()}`);
  }
}

type Item = {
  product_id?: string | null;
  variant_id?: string | null;
  total?: unknown;
  detail?: Record<string, unknown> | null;
} | null;

/** Returns what the customer keeps of a line, at the price paid per unit, or nothing. */
function line(item: Item, currency: string) {
  const { quantity, return_received_quantity, return_dismissed_quantity } = item?.detail ?? {};
  const returned = Number(return_received_quantity ?? 0) + Number(return_dismissed_quantity ?? 0);
  const kept = Number(quantity ?? 0) - returned;
  if (!item?.product_id || kept < 1) return [];
  const price = Number(item.total) / Number(quantity);
  return [
    {
      productId: item.product_id,
      variantId: item.variant_id ?? null,
      quantity: kept,
      unitPrice: Number.isFinite(price) ? money(price, currency) : undefined,
    },
  ];
}
