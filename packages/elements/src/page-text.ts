import { DE } from './page-de.js';
import { EN, type Texts } from './page-en.js';

/** Returns the text for a key, with its placeholders filled in. */
export type Say = (key: keyof Texts, values?: Record<string, string | number>) => string;

/** Returns the texts in the element's language, overridden by its attribute `texts`. */
export function textsOf(element: Element): Say {
  const texts: Texts = { ...(/^de\b/i.test(languageOf(element)) ? DE : EN) };
  try {
    Object.assign(texts, JSON.parse(element.getAttribute('texts') ?? '{}'));
  } catch (error) {
    console.warn('The attribute "texts" is not JSON.', error);
  }
  return (key, values = {}) => {
    const [one, many = one] = String(texts[key]).split('|') as [string, string?];
    const text = values.n === 1 ? one : many;
    return text.replace(/\{(\w+)\}/g, (all, name) => `${values[name] ?? all}`);
  };
}

/** Returns the language of the element or its ancestors, or ''. */
export function languageOf(element: Element): string {
  return element.closest<HTMLElement>('[lang]')?.lang || document.documentElement.lang;
}
