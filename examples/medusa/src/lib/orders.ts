import type { MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys, Modules } from '@medusajs/framework/utils';

import { BATCH, money, put } from './wishwell';

const DAY = 86_400_000;
/** Days of changed orders that a job sends again. */
const DAYS = 30;

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
      ...['item_total', 'items.*', 'items.detail.*', 'summary.*'],
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
      status: order.canceled_at || isRefunded(order.summary) ? 'cancelled' : 'paid',
      lines: (order.items ?? []).flatMap((item) => line(item, order.currency_code)),
    }));
  await put(container, 'orders', orders);
}

/** Returns whether all that was paid has been repaid. */
function isRefunded(summary?: { paid_total?: unknown; refunded_total?: unknown } | null): boolean {
  const refunded = Number(summary?.refunded_total ?? 0);
  return refunded > 0 && refunded >= Number(summary?.paid_total ?? 0);
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
