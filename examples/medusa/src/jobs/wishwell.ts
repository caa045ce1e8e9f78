import { tellAll } from '../lib/wishwell';

export default tellAll;

/** Heals what events have missed, and sees prices that begin or end by the clock. */
export const config = {
  name: 'wishwell',
  schedule: process.env.WISHLIST_SCHEDULE ?? '0 3 * * *',
};
