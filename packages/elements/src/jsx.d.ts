// JSX types of the elements. React 19 has its JSX types in its module, React 18 has them global.
// Without React the import below is an error, which is ignored because nothing else needs React.
// @ts-ignore
import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { Change, Item, Match, ProductId, SharedItem, SignIn } from './types.js';

/** Attributes of <wishlist-button>, named as in HTML. */
export interface WishlistButtonAttributes {
  'product-id': ProductId;
  'variant-id'?: ProductId | null | undefined;
  match?: Match | undefined;
  /** The name of a list, which is found or created. */
  list?: string | undefined;
  /** Separated by commas. */
  tags?: string | undefined;
  quantity?: number | string | undefined;
  'choose-list'?: boolean | '' | undefined;
  label?: string | undefined;
  'label-saved'?: string | undefined;
  'label-sign-in'?: string | undefined;
  'sign-in'?: string | undefined;
  'sign-in-return'?: string | undefined;
  disabled?: boolean | '' | undefined;
  class?: string | undefined;
  /** Needs React 19. */
  'onwishlist-change'?: ((event: CustomEvent<Change>) => void) | undefined;
  'onwishlist-sign-in'?: ((event: CustomEvent<SignIn>) => void) | undefined;
}

/** Attributes of <wishlist-count>, named as in HTML. */
export interface WishlistCountAttributes {
  'signed-in'?: string | undefined;
  class?: string | undefined;
}

/** Attributes of <wishlist-toast>, named as in HTML. */
export interface WishlistToastAttributes {
  page?: string | undefined;
  'sign-in'?: string | undefined;
  'sign-in-return'?: string | undefined;
  class?: string | undefined;
}

/** Attributes of <wishlist-share>, named as in HTML. */
export interface WishlistShareAttributes {
  'list-id': string;
  'list-name'?: string | undefined;
  page?: string | undefined;
  reservations?: boolean | '' | undefined;
  notes?: boolean | '' | undefined;
  label?: string | undefined;
  'label-link'?: string | undefined;
  'label-copy'?: string | undefined;
  'label-copied'?: string | undefined;
  'label-stop'?: string | undefined;
  'label-sure'?: string | undefined;
  'label-stopped'?: string | undefined;
  class?: string | undefined;
}

/** Attributes of <wishlist-wanted>, named as in HTML. */
export interface WishlistWantedAttributes {
  'product-id': ProductId;
  /** The text, which contains `{count}`. */
  label?: string | undefined;
  class?: string | undefined;
}

interface PageAttributes<I> {
  cart?: boolean | '' | undefined;
  'cart-url'?: string | undefined;
  'shop-url'?: string | undefined;
  'product-url'?: string | undefined;
  /** Texts by name, as JSON. */
  texts?: string | undefined;
  locale?: string | undefined;
  class?: string | undefined;
  /** Needs React 19. */
  'onwishlist-cart'?: ((event: CustomEvent<{ item?: I; items: I[] }>) => void) | undefined;
}

/** Attributes of <wishlist-page>, named as in HTML. */
export interface WishlistPageAttributes extends PageAttributes<Item> {
  list?: string | undefined;
  'shared-page'?: string | undefined;
  'sign-in'?: string | undefined;
  'sign-in-return'?: string | undefined;
}

/** Attributes of <wishlist-shared>, named as in HTML. */
export interface WishlistSharedAttributes extends PageAttributes<SharedItem> {
  token?: string | undefined;
  'own-page'?: string | undefined;
}

interface Elements {
  'wishlist-count': DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement> &
    WishlistCountAttributes;
  'wishlist-toast': DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement> &
    WishlistToastAttributes;
  'wishlist-wanted': DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement> &
    WishlistWantedAttributes;
  'wishlist-page': DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement> &
    WishlistPageAttributes;
  'wishlist-shared': DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement> &
    WishlistSharedAttributes;
  'wishlist-share': DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement> &
    WishlistShareAttributes;
  'wishlist-button': DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement> &
    WishlistButtonAttributes;
}

// @ts-ignore
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements extends Elements {}
  }
}

declare global {
  namespace JSX {
    interface IntrinsicElements extends Elements {}
  }
}
