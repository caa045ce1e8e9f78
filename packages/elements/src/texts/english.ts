import { HEART, PAGE, REFUSED, SHARE, TOAST, WANTED, type Texts } from './en.js';

/** All English texts, for reference. */
export const EN: Texts = { ...HEART, ...REFUSED, ...TOAST, ...SHARE, ...WANTED, ...PAGE };
