// Finds an element's texts: in the shop's own, in those of its language, or in English.
import type { PAGE, Texts } from './en.js';

/** The languages that are loaded when a page needs them. English is built in. */
export const LANGUAGES: Record<string, () => Promise<{ default: Texts }>> = {
  de: () => import('./de.js'),
  es: () => import('./es.js'),
  fr: () => import('./fr.js'),
  it: () => import('./it.js'),
  nl: () => import('./nl.js'),
  pl: () => import('./pl.js'),
};

type Tables = Record<string, Partial<Texts>>;
export type Values = Record<string, string | number>;
/** Returns the text of a name, with its placeholders filled in and numbers formatted. */
export interface Say<Name extends string = keyof typeof PAGE> {
  (name: Name, values?: Values): string;
  /** Whether the language was still loading when this function was made. */
  waiting: boolean;
}

const PLURALS = ['zero', 'one', 'two', 'few', 'many', 'other'];
const loaded: Tables = {};
const loading: Record<string, Promise<void>> = {};
let ofShop: Tables | undefined;

/**
 * Returns the texts of an element in its language; `english` has the names it uses and their
 * fallbacks. Until the language has loaded, texts are English; then `again` is called.
 */
export function textsOf<Name extends keyof Texts>(
  element: Element,
  english: Record<Name, string>,
  again: () => void,
): Say<Name> {
  const [language, base] = languagesOf(element);
  const own = parsed(element.getAttribute('texts'));
  ofShop ??= Object.assign({}, ...[...document.querySelectorAll(SCRIPTS)].map(tablesIn)) as Tables;
  const waiting = base in LANGUAGES && !loaded[base];
  if (waiting) {
    const load = async () => void (loaded[base] = (await LANGUAGES[base]!()).default);
    // If loading fails, the texts stay English, and the next element tries again.
    const done = (loading[base] ??= load().catch(() => void delete loading[base]));
    done.then(again);
  }
  const say = (name: Name, values: Values = {}) => {
    const table = [own, ofShop![language], ofShop![base], loaded[base]].find((t) => t?.[name]);
    const text = table?.[name] ?? ofShop!.en?.[name] ?? english[name];
    const locale = localeOf(table ? language : 'en');
    const form = chosen(text.split('|'), values.n, locale);
    return form.replace(/\{(\w+)\}/g, (all, key) => formatted(values[key] ?? all, locale));
  };
  return Object.assign(say, { waiting });
}

/** Returns the language of the element or its ancestors, or ''. */
export function languageOf(element: Element): string {
  return element.closest<HTMLElement>('[lang]')?.lang || document.documentElement.lang;
}

/** Returns the language as a locale of Intl; undefined, for the browser's, if it isn't one. */
export function localeOf(language: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(language)[0];
  } catch {
    return undefined;
  }
}

const SCRIPTS = 'script[data-wishlist-texts]';

/** Returns `de-at` and `de` for an element in Austrian German. */
function languagesOf(element: Element): [string, string] {
  const language = languageOf(element).toLowerCase();
  return [language, language.split('-')[0]!];
}

function tablesIn({ textContent }: Element): Tables {
  const tables = Object.entries(parsed(textContent) as Tables);
  return Object.fromEntries(tables.map(([language, texts]) => [language.toLowerCase(), texts]));
}

function parsed(json: string | null): Partial<Texts> {
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

const formatted = (value: string | number, locale: string | undefined) =>
  typeof value === 'number' ? value.toLocaleString(locale) : value;
