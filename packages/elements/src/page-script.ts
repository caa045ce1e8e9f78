// The entry point of `<script type="module" src="/apps/wishlist/assets/page.js">`.
import { definePage, defineShared } from './page.js';
import { wishlist } from './script.js';

export * from './page.js';

definePage(wishlist);
defineShared(wishlist);
