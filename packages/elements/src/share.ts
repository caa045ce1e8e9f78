// Sharing of lists: a separate module, loaded only by pages that need it.
export { defineShare, type WishlistShare } from './share-element.js';
export * from './shares.js';
