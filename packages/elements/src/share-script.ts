// The entry point of `<script type="module" src="/apps/wishlist/assets/share.js">`.
import { wishlist } from './script.js';
import { defineShare } from './share.js';

export * from './share.js';

defineShare(wishlist);
