// The entry point of `<script type="module" src="/apps/wishlist/assets/wanted.js">`.
import { defineWanted } from './wanted.js';

export * from './wanted.js';

// The storefront's base is the folder above /assets/, as in script.ts.
const { origin, pathname } = new URL('..', import.meta.url);

defineWanted(origin === location.origin ? pathname : undefined);
