// Texts in other languages than English, and those of the shop. Loaded by pages that need them.
import { filled, languageOf, localeOf, type Values } from './index.js';
import type { Texts } from './en.js';

/** The languages besides English. */
export const LANGUAGES: Record<string, () => Promise<{ default: Texts }>> = {
  de: () => import('./de.js'),
  es: () => import('./es.js'),
  fr: () => import('./fr.js'),
  it: () => import('./it.js'),
  nl: () => import('./nl.js'),
  pl: () => import('./pl.js'),
};

type Table = Record<string, string>;
type Tables = Record<string, Table>;

/** Languages that don't write Latin digits, in Intl's data. */
const DIGITS =
  /^(a[rs]|b(gc|ho|n)|ckb|dz|f[af]|hnj|ks|lrc|m[ry]|mni|mzn|ne|nqo|p[as]|raj|s[ad]|sat|u[rz])\b/;
const PLURALS = ['zero', 'one', 'two', 'few', 'many', 'other'];
let ofShop: Tables | undefined;

/** Loads the element's language. Returns the function that finds its texts. */
export async function load(element: Element, english: Table) {
  const language = languageOf(element).toLowerCase();
  const base = language.split('-')[0]!;
  const scripts = [...document.querySelectorAll('script[data-wishlist-texts]')];
  ofShop ??= Object.assign({}, ...scripts.map(tablesIn)) as Tables;
  const own = parsed(element.getAttribute('texts')) as Table;
  const tables = [own, ofShop[language], ofShop[base]];
  // If loading fails, the shop's own texts are still shown.
  const { default: loaded } = (await LANGUAGES[base]?.().catch(() => undefined)) ?? {};
  checkNames([own, ...Object.values(ofShop)], english, loaded);
  tables.push(loaded);
  return (name: string, values: Values = {}) => {
    const table = tables.find((texts) => texts?.[name]);
    const text = table?.[name] ?? ofShop!.en?.[name] ?? english[name] ?? name;
    // A number alone is in the element's language, too, if that has no texts.
    const spoken = (table || !(name in english)) && language ? language : 'en';
    const number = (n: number | string) =>
      +n < 1000 && !DIGITS.test(spoken) ? `${n}` : n.toLocaleString(localeOf(spoken));
    return filled(chosen(text.split('|'), values.n, spoken), values, number);
  };
}

function tablesIn({ textContent }: Element): Tables {
  const tables = Object.entries(parsed(textContent) as Tables);
  return Object.fromEntries(tables.map(([language, texts]) => [language.toLowerCase(), texts]));
}

function parsed(json: string | null): object {
  try {
    return JSON.parse(json || '{}');
  } catch (error) {
    console.warn('The texts of the wishlist are not JSON.', error);
    return {};
  }
}

const checked = new Set<string>();

/** Names unknown texts in the console, each with the most similar known name. */
async function checkNames(tables: Table[], english: Table, loaded?: Table) {
  const names = tables
    .flatMap(Object.keys)
    .filter((name) => !(name in english || checked.has(name)));
  if (!names[0]) return;
  // Every language has the names of all elements; English is divided among their scripts.
  const known = Object.keys(loaded ?? (await LANGUAGES.de!()).default);
  for (const name of names) {
    checked.add(name);
    if (known.includes(name)) continue;
    const [nearest] = known.sort((a, b) => distance(a, name) - distance(b, name));
    console.warn(`The wishlist has no text "${name}". Did you mean "${nearest}"?`);
  }
}

/** Returns the Levenshtein distance, regardless of case. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, left] of [...a.toLowerCase()].entries()) {
    const next = [i + 1];
    for (const [j, right] of [...b.toLowerCase()].entries())
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + +(left !== right)));
    row = next;
  }
  return row.at(-1)!;
}

/** Chooses a plural form. The last one is for all numbers that have no form of their own. */
function chosen(forms: string[], n: string | number | undefined, language: string) {
  if (typeof n !== 'number' || !forms[1]) return forms[0]!;
  // Without an Intl object for the numbers that are usual in our languages.
  if (n < 1000 && /^(de|en|es|fr|it|nl)\b/.test(language))
    return n === 1 || (!n && language.startsWith('fr')) ? forms[0]! : forms.at(-1)!;
  if (n < 1000 && /^pl\b/.test(language)) {
    const isFew = n % 10 > 1 && n % 10 < 5 && (n % 100 < 12 || n % 100 > 14);
    return forms[n === 1 ? 0 : isFew ? 1 : 2] ?? forms.at(-1)!;
  }
  const rules = new Intl.PluralRules(localeOf(language));
  const kinds = rules.resolvedOptions().pluralCategories;
  const at = PLURALS.filter((kind) => kinds.includes(kind as never)).indexOf(rules.select(n));
  return forms[at] ?? forms.at(-1)!;
}
