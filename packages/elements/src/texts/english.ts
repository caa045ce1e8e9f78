import { HEART, PAGE, SHARE, TOAST, WANTED, type Texts } from './en.js';

/** All English texts, for reference. */
export const EN: Texts = { ...HEART, ...TOAST, ...SHARE, ...WANTED, ...PAGE };
