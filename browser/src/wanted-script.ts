// The module of `<script type="module" src="/apps/wishlist/assets/wanted.js">`.
import { defineWanted } from './wanted.js';

export * from './wanted.js';

// The folder above /assets/, as for the hearts.
const { origin, pathname } = new URL('..', import.meta.url);

defineWanted(origin === location.origin ? pathname : undefined);
