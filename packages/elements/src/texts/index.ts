// Finds an element's texts. English is built in; other texts are in a module of their own.
import type { PAGE } from './en.js';

export type Values = Record<string, string | number>;
/** Returns the text of a name, with its placeholders filled in and numbers formatted. */
export type Say<Name extends string = keyof typeof PAGE> = (name: Name, values?: Values) => string;

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
    const [one, many = one] = english[name].split('|') as [string, string?];
    return filled(values.n === 1 ? one : many, values, 'en');
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

/** Fills the placeholders of a text. */
export const filled = (text: string, values: Values, locale: string | undefined) =>
  text.replace(/\{(\w+)\}/g, (all, key) => values[key]?.toLocaleString(locale) ?? all);

/** Returns the language of the element or its ancestors, or ''. */
export const languageOf = (element: Element): string =>
  element.closest<HTMLElement>('[lang]')?.lang || document.documentElement.lang;

/** Returns the language as a locale of Intl; undefined, for the browser's, if it isn't one. */
export function localeOf(language: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(language)[0];
  } catch {
    return undefined;
  }
}
