// Makes src/api.d.ts, the types of records, bodies and errors, from the API's description.
// With --check it changes nothing and fails when the two have drifted apart.
import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';

const source = new URL('../../../src/wishwell/http/openapi.json', import.meta.url);
const target = new URL('../src/api.d.ts', import.meta.url);

// Answers are open for clients that check them. TypeScript checks none at run time, so names of
// fields and words are more useful to it than an index signature and any text.
const document = JSON.parse(await readFile(source, 'utf8'), (_, value) => {
  if (value?.additionalProperties === true) delete value.additionalProperties;
  if (value?.['x-extensible-enum']) value.enum = value['x-extensible-enum'];
  return value;
});

const text =
  '// Made from src/wishwell/http/openapi.json by `npm run types`; do not edit.\n' +
  astToString(await openapiTS(document));

if (!process.argv.includes('--check')) {
  await writeFile(target, text);
} else if ((await readFile(target, 'utf8')) !== text) {
  console.error('src/api.d.ts is not what openapi.json says: npm run types');
  process.exit(1);
}
