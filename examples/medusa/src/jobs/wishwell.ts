import { sendAll } from '../lib/missing';

export default sendAll;

/** Sends what events have missed, and prices that begin or end by the clock. */
export const config = {
  name: 'wishwell',
  schedule: process.env.WISHLIST_SCHEDULE ?? '0 3 * * *',
};
