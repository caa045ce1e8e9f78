import type { SubscriberArgs, SubscriberConfig } from '@medusajs/framework';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';

import { attempt } from '../lib/missing';
import { sendOrders } from '../lib/orders';

type Changed = SubscriberArgs<{ id?: string; order_id?: string }>;

export default (args: Changed) => attempt(() => changed(args));

async function changed({ event, container }: Changed): Promise<void> {
  let id = event.data.order_id ?? event.data.id;
  if (event.name === 'payment.refunded') {
    const query = container.resolve(ContainerRegistrationKeys.QUERY);
    const fields = ['payment_collection.order.id'];
    const { data } = await query.graph({ entity: 'payment', fields, filters: { id } });
    id = data[0]?.payment_collection?.order?.id;
  }
  if (id) await sendOrders(container, [id]);
}

export const config: SubscriberConfig = {
  event: [
    ...['order.placed', 'order.updated', 'order.completed', 'order.canceled'],
    ...['order.return_received', 'order.claim_created', 'order.exchange_created'],
    ...['order-edit.confirmed', 'payment.refunded'],
  ],
};
