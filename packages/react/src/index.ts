export { WishlistButton, type WishlistButtonProps } from './button.js';
export {
  useCount,
  useWishlistEvents,
  WishlistCount,
  type Shopper,
  type WishlistCountProps,
} from './count.js';
export { useWishlist, WishlistProvider, type WishlistProviderProps } from './context.js';
export {
  WishlistPage,
  WishlistShared,
  type CartDetail,
  type WishlistPageProps,
  type WishlistSharedProps,
} from './pages.js';
export { useItems, useLists, type Items, type ItemsOf, type Lists } from './records.js';
export { useSaved, type Saved } from './saved.js';
export { WishlistShare, type WishlistShareProps } from './share.js';
export { WishlistToast, type WishlistToastProps } from './toast.js';
export { WishlistWanted, type WishlistWantedProps } from './wanted.js';
export { useSharedList, useShares, type Shared, type Shares } from './shares.js';
