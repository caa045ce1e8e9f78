import type { ExecArgs } from '@medusajs/framework/types';

import { tellAll } from '../lib/wishwell';

export default ({ container }: ExecArgs) => tellAll(container);
