// Shared lists: a module of its own, which a page without them never loads.
export { defineShare, type WishlistShare } from './share-element.js';
export * from './shares.js';
