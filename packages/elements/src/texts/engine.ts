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
  tables.push(loaded);
  return (name: string, values: Values = {}) => {
    const table = tables.find((texts) => texts?.[name]);
    const text = table?.[name] ?? ofShop!.en?.[name] ?? english[name]!;
    const locale = localeOf(table && language ? language : 'en');
    return filled(chosen(text.split('|'), values.n, locale), values, locale);
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

/** Chooses a plural form. The last one is for all numbers that have no form of their own. */
function chosen(forms: string[], n: string | number | undefined, locale: string | undefined) {
  if (typeof n !== 'number' || !forms[1]) return forms[0]!;
  const rules = new Intl.PluralRules(locale);
  const kinds = rules.resolvedOptions().pluralCategories;
  const at = PLURALS.filter((kind) => kinds.includes(kind as never)).indexOf(rules.select(n));
  return forms[at] ?? forms.at(-1)!;
}
