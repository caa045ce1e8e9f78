import type { MedusaContainer } from '@medusajs/framework/types';

import { sendChangedOrders } from './orders';
import { tellAll } from './wishwell';

/** Whether Wishwell may lack changes: after a start, and after a failure. */
let missing = true;

/** Does a subscriber's work. If that fails, the job of the next minute sends everything. */
export async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    missing = true;
    throw error;
  }
}

export async function sendMissing(container: MedusaContainer): Promise<void> {
  if (missing) await sendAll(container);
}

export async function sendAll(container: MedusaContainer): Promise<void> {
  missing = false;
  await attempt(async () => {
    await tellAll(container);
    await sendChangedOrders(container);
  });
}
