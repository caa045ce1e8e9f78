import { EN, type Texts } from './page-en.js';

/** The text of that name, filled in. */
export type Say = (key: keyof Texts, values?: Record<string, string | number>) => string;

/** The texts for the element's language, with those of its attribute `texts` in their place. */
export async function textsOf(element: Element): Promise<Say> {
  let texts: Texts = EN;
  // A text that can't be loaded must not keep the wishlist from being shown.
  if (/^de\b/i.test(languageOf(element)))
    texts = await import('./page-de.js').then(({ DE }) => DE).catch(() => EN);
  try {
    texts = { ...texts, ...JSON.parse(element.getAttribute('texts') ?? '{}') };
  } catch (error) {
    console.warn('The attribute "texts" is not JSON.', error);
  }
  return (key, values = {}) => {
    const [one, many = one] = String(texts[key]).split('|') as [string, string?];
    return (values.n === 1 ? one : many).replace(
      /\{(\w+)\}/g,
      (all, name) => `${values[name] ?? all}`,
    );
  };
}

/** The language of the element or what it is in; empty if none is said. */
export function languageOf(element: Element): string {
  return element.closest<HTMLElement>('[lang]')?.lang || element.ownerDocument.documentElement.lang;
}
