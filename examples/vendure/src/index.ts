import { bootstrap, bootstrapWorker } from '@vendure/core';

import { config } from './vendure-config';

const worker = async () => (await bootstrapWorker(config)).startJobQueue();
const program = process.argv[2] === 'worker' ? worker() : bootstrap(config);
program.catch((error) => {
  console.error(error);
  process.exit(1);
});
