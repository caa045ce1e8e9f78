import type { ExecArgs } from '@medusajs/framework/types';

import { sendAll } from '../lib/missing';

export default ({ container }: ExecArgs) => sendAll(container);
