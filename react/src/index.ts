export { WishlistButton, type WishlistButtonProps } from './button.js';
export { useWishlist, WishlistProvider, type WishlistProviderProps } from './context.js';
export { useItems, useLists, type Items, type ItemsOf, type Lists } from './records.js';
export { useSaved, type Saved } from './saved.js';
export { useSharedList, useShares, type Shared, type Shares } from './shares.js';
