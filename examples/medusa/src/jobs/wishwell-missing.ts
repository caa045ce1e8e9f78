import { sendMissing } from '../lib/missing';

export default sendMissing;

/** Sends everything after a start, and after a failure. */
export const config = { name: 'wishwell-missing', schedule: '* * * * *' };
