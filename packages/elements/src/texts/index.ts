// Finds an element's texts. English is built in; other texts are in a module of their own.
import type { PAGE } from './en.js';

export type Values = Record<string, string | number>;
/**
 * Returns the text of a name, with its placeholders filled in and numbers formatted. `NUMBER` in place
 * of a name is a text of its own.
 */
export type Say<Name extends string = keyof typeof PAGE> = (name: Name, values?: Values) => string;

/** The text of a number `n` alone. */
export const NUMBER = '{n}' as never;

/** Returns a number in English. Small ones need no Intl object: the first costs up to 100 ms. */
const grouped = (n: number | string) => (+n < 1000 ? `${n}` : n.toLocaleString('en'));

/** Returns whether the element needs texts that aren't built in. */
export const isForeign = (element: Element) =>
  !/^(en\b|$)/i.test(languageOf(element)) ||
  element.hasAttribute('texts') ||
  !!document.querySelector('[data-wishlist-texts]');

/**
 * Returns the texts of an element in its language; `english` has the names it uses and their
 * fallbacks. Until the language has loaded, texts are English; then `again` is called.
 */
export function textsOf<Name extends string>(
  element: Element,
  english: Record<Name, string>,
  again: () => void,
): Say<Name> {
  let say = (name: Name, values: Values = {}) => {
    const [one, many = one] = (english[name] ?? name).split('|') as [string, string?];
    return filled(values.n === 1 ? one : many, values, grouped);
  };
  if (isForeign(element)) {
    const load = async () => (say = await (await import('./engine.js')).load(element, english));
    // If loading fails, the texts stay English.
    load()
      .catch(() => {})
      .then(again);
  }
  return (name, values) => say(name, values);
}

/** Fills the placeholders of a text; `number` writes whole numbers of 1,000 or more. */
export const filled = (text: string, values: Values, number: (n: number | string) => string) =>
  text.replace(/\{(\w+)\}/g, (all, key) => (values[key] === undefined ? all : number(values[key])));

/** Returns the language of the element or its ancestors, or ''. */
export const languageOf = (element: Element): string =>
  (element.closest<HTMLElement>('[lang]')?.lang || document.documentElement.lang).replace('_', '-');

/** Returns the language as a locale of Intl; undefined, for the browser's, if it isn't one. */
export function localeOf(language: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(language)[0];
  } catch {
    return undefined;
  }
}
