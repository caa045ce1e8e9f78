import type { MedusaContainer } from '@medusajs/framework/types';

import { sendChangedOrders } from '../lib/orders';
import { tellAll } from '../lib/wishwell';

export default async function nightly(container: MedusaContainer): Promise<void> {
  await tellAll(container);
  await sendChangedOrders(container);
}

/** Heals what events have missed, and sees prices that begin or end by the clock. */
export const config = {
  name: 'wishwell',
  schedule: process.env.WISHLIST_SCHEDULE ?? '0 3 * * *',
};
