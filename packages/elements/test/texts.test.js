// The files of texts, as they are served.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const dist = new URL('../dist/', import.meta.url);
const source = readFileSync(new URL('../src/texts/engine.ts', import.meta.url), 'utf8');
const registered = [...source.matchAll(/^ {2}(\w\w): \(\) => import/gm)].map(([, name]) => name);
const { EN } = await import(String(new URL('texts-en.js', dist)));
/** @type {[string, Record<string, string>][]} */
const languages = await Promise.all(
  registered.map(async (name) => [name, (await import(`../dist/texts-${name}.js`)).default]),
);

/** The placeholders of a text; each plural form has at most these. @param {string} text */
const placeholders = (text) => [...new Set(text.match(/\{\w+\}/g))].sort();

test('every file of a language is registered', () => {
  const files = readdirSync(new URL('../src/texts/', import.meta.url))
    .filter((file) => /^[a-z]{2}\.ts$/.test(file))
    .map((file) => file.slice(0, 2));
  assert.deepEqual(files.sort(), ['en', ...registered].sort());
  assert.deepEqual(files.sort(), ['de', 'en', 'es', 'fr', 'it', 'nl', 'pl']);
  assert.ok(readdirSync(dist).includes('texts-de.js'));
});

for (const [name, texts] of languages) {
  test(`${name} has every text with its placeholders`, () => {
    assert.deepEqual(Object.keys(texts).sort(), Object.keys(EN).sort());
    for (const [key, text] of Object.entries(texts)) {
      assert.ok(text.trim(), key);
      assert.deepEqual(placeholders(text), placeholders(EN[key]), `${key}: ${text}`);
      const most = new Intl.PluralRules(name).resolvedOptions().pluralCategories.length;
      assert.ok(text.split('|').length <= most, key);
      // What no language leaves as in English: a sentence.
      if (EN[key].split(' ').length > 3) assert.notEqual(text, EN[key], key);
    }
  });
}
