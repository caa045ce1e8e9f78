import type { SubscriberArgs, SubscriberConfig } from '@medusajs/framework';

import { sendOrders } from '../lib/orders';

export default async function changed({
  event,
  container,
}: SubscriberArgs<{ id?: string; order_id?: string }>) {
  const id = event.data.order_id ?? event.data.id;
  if (id) await sendOrders(container, [id]);
}

export const config: SubscriberConfig = {
  event: [
    ...['order.placed', 'order.updated', 'order.completed', 'order.canceled'],
    ...['order.return_received', 'order.claim_created', 'order.exchange_created'],
    'order-edit.confirmed',
  ],
};
