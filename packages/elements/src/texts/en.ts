// English, the fallback of all languages. Each group is built into the script that uses it. `{…}`
// is filled in; `|` separates plural forms, in the order that index.ts describes.

/** Hearts and the count. */
export const HEART = {
  heart: 'Save to wishlist',
  heartSaved: 'Saved',
  notSaved: 'We couldn’t save this item.',
  notRemoved: 'We couldn’t remove this item.',
  savedCount: '{n} saved item|{n} saved items',
};

/** Hearts of visitors whose session can't be created. */
export const REFUSED = {
  heartSignIn: 'Sign in to save this item',
  cookiesBlocked: 'Your browser blocks cookies. Allow them and try again.',
};

/** <wishlist-toast>. */
export const TOAST = {
  saved: 'Saved to your wishlist',
  open: 'View',
  undo: 'Undo',
  removedOne: 'Removed from your wishlist',
  removedMany: '{n} item removed|{n} items removed',
  signInHint: 'Sign in to keep your list on all your devices',
  notSaved: 'We couldn’t save this item.',
  notRemoved: 'We couldn’t remove this item.',
  unreachable: 'Please check your connection.',
  full: 'Your wishlist is full.',
  cookiesBlocked: 'Your browser blocks cookies. Allow them and try again.',
  tryAgain: 'Try again',
  close: 'Close',
};

/** <wishlist-share>. */
export const SHARE = {
  share: 'Share',
  shareLink: 'Link to this list',
  copyLink: 'Copy link',
  shareCopied: 'Link copied',
  stop: 'Stop sharing',
  shareSure: 'Links you’ve already shared will stop working. Click again to confirm',
  shareStopped: 'This list is no longer shared',
};

/** <wishlist-wanted>. */
export const WANTED = {
  wanted: '{count}+ people have this on their wishlist',
};

/** The menu of a heart with `choose-list`. */
export const CHOOSE = {
  saved: 'Saved to your wishlist',
  newList: 'New list',
  listName: 'List name',
  create: 'Create',
  onLists: 'Add to lists',
  remove: 'Remove from wishlist',
  done: 'Done',
  failed: 'Something went wrong. Please try again.',
};

/** <wishlist-page> and <wishlist-shared>. A spread would keep these texts in every script. */
export const PAGE = /* @__PURE__ */ Object.assign({}, CHOOSE, {
  title: 'Wishlist',
  all: 'All',
  open: 'View',
  undo: 'Undo',
  removedMany: '{n} item removed|{n} items removed',
  signInHint: 'Sign in to keep your list on all your devices',
  removed: 'Removed {name}',
  unreachable: 'Please check your connection.',
  cookiesBlocked: 'Your browser blocks cookies. Allow them and try again.',
  tryAgain: 'Try again',
  close: 'Close',
  lists: 'Lists',
  listOptions: 'List options',
  rename: 'Rename',
  save: 'Save',
  deleteList: 'Delete list',
  deleteSure: 'Delete “{name}”?',
  deleteText: 'The items will stay in your wishlist.',
  cancel: 'Cancel',
  count: '{n} item|{n} items',
  share: 'Share',
  isShared: 'Shared',
  shareName: 'Share “{name}”',
  link: 'Link',
  createLink: 'Create link',
  linkCopied: 'Link copied. Anyone with the link can view this list.',
  copyFailed:
    'Your browser didn’t allow copying. The link is selected, so you can copy it yourself.',
  email: 'Email',
  shareMore: 'Share via…',
  displayName: 'Your name',
  displayNameHint: 'Optional. Shown to everyone who opens the link.',
  shareNotes: 'Show my notes to everyone who opens the link',
  owner: '{name}’s wishlist',
  copyLink: 'Copy link',
  stop: 'Stop sharing',
  stopText: 'Links you’ve already shared will stop working.',
  stopped: 'This list is no longer shared.',
  options: 'More options for {name}',
  quantity: 'Quantity',
  note: 'Note',
  earlier: 'Move up',
  later: 'Move down',
  noteHint: 'Only you see this, unless you choose to show notes when sharing.',
  quantityRule: 'Enter a whole number from 1 to {max}.',
  sort: 'Sort by',
  custom: 'Custom order',
  newest: 'Newest first',
  oldest: 'Oldest first',
  price: 'Lowest price',
  byTitle: 'Title A–Z',
  drop: 'Largest drop',
  search: 'Search',
  noMatch: 'Nothing found',
  select: 'Select',
  selectAll: 'Select all',
  removeSelected: 'Remove',
  selected: '{n} selected',
  addedTo: '{n} item added to {name}|{n} items added to {name}',
  removeItem: 'Remove {name}',
  place: '{name} moved to position {n} of {count}.',
  back: '{name} is back on your wishlist',
  restored: 'Restored {n} item|Restored {n} items',
  cart: 'Add to cart',
  cartAll: 'Add all to cart',
  deleted: 'No longer available',
  bought: 'Bought',
  cheaper: 'Cheaper',
  savedNow: 'Saved at {saved}, now {price}',
  tell: 'Tell me',
  willTell: 'We’ll tell you',
  variant: 'Variant {id}',
  soldOut: 'Sold out',
  product: 'Product {id}',
  notices: 'Notify me of price drops and restocks',
  mailWaits: 'Press the button in our mail to {email}.',
  mailTo: 'Notices go to {email}.',
  mailAgain: 'Change or send again',
  mailRemove: 'Remove address',
  mailOwn: 'Send notices to {email}?',
  mailYes: 'Yes',
  mailAsk: 'Where shall we write to?',
  mailSend: 'Send',
  mailSent: 'We’ve sent you a mail. Press the button in it.',
  showMore: 'Show more',
  empty: 'Your wishlist is empty',
  emptyText: 'Tap the heart on anything you love to save it here.',
  shop: 'Continue shopping',
  emptyList: 'This list is empty',
  emptyListText: 'To add a product, choose ⋯ and pick this list.',
  showAll: 'View all items',
  loading: 'Loading',
  offline: 'You’re offline. The wishlist may not be up to date.',
  error: 'We couldn’t load the wishlist.',
  signIn: 'Please sign in first.',
  copy: 'Save to my wishlist',
  copied: 'Saved to your wishlist',
  ownQuestion: 'Is this your list?',
  ownText: 'If so, we’ll hide what people are getting you.',
  ownYes: 'Yes, it’s mine',
  ownNo: 'No, I’m shopping for someone',
  own: 'This is your list, so reserved gifts stay hidden.',
  reserve: 'I’ll get this',
  howMany: 'How many would you like to get?',
  change: 'Change',
  release: 'Cancel reservation',
  yours: 'Reserved by you|You’ve reserved {n}',
  taken: 'Already reserved',
  reserved: '{n} of {count} reserved',
  nowYours: 'You’ve reserved {name}',
  released: 'Reservation cancelled',
  faster: 'Someone just reserved this.',
  ended: 'This link isn’t working',
  endedText: 'It may be incomplete, or the list is no longer shared. Ask for a new link.',
});

type All = typeof HEART &
  typeof REFUSED &
  typeof TOAST &
  typeof SHARE &
  typeof WANTED &
  typeof PAGE;
/** The texts of a language, by name. */
export type Texts = { [Name in keyof All]: string };
