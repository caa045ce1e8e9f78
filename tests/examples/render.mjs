// Renders Liquid with Shopify's filters and the texts of a language. Run it in a folder that has
// liquidjs: node render.mjs < JSON. Prints a JSON array of HTML.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { Liquid } = createRequire(`${process.cwd()}/`)('liquidjs');
const engine = new Liquid({ strictFilters: true });
const { sources, texts, objects } = JSON.parse(readFileSync(0, 'utf8'));

// Shopify escapes translations and the values in them.
engine.registerFilter('t', function (key, ...pairs) {
  const text = key.split('.').reduce((at, part) => at[part], texts);
  const values = Object.fromEntries(pairs);
  const filled = text.replace(/{{ (\w+) }}/g, (_, name) => values[name]);
  return engine.filters.escape.call(this, filled);
});
engine.registerFilter('asset_url', (name) => `/cdn/${name}`);

const html = sources.map(([source, settings]) =>
  engine.parseAndRenderSync(source, { ...objects, block: { settings } }),
);
console.log(JSON.stringify(html));
