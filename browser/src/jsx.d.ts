// The elements in JSX: React 19 has its JSX types in its module, React 18 has them global. Without
// React the import below is an error, which is ignored, as nothing else here needs React.
// @ts-ignore
import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { Change, Item, Match, ProductId, SharedItem, SignIn } from './types.js';

/** The attributes of <wishlist-button>, by their names in HTML. */
export interface WishlistButtonAttributes {
  'product-id': ProductId;
  'variant-id'?: ProductId | null | undefined;
  match?: Match | undefined;
  label?: string | undefined;
  'label-saved'?: string | undefined;
  'label-sign-in'?: string | undefined;
  'sign-in'?: string | undefined;
  'sign-in-return'?: string | undefined;
  disabled?: boolean | '' | undefined;
  class?: string | undefined;
  /** From React 19 on. */
  'onwishlist-change'?: ((event: CustomEvent<Change>) => void) | undefined;
  'onwishlist-sign-in'?: ((event: CustomEvent<SignIn>) => void) | undefined;
}

/** The attributes of <wishlist-share>, by their names in HTML. */
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

/** The attributes of <wishlist-wanted>, by their names in HTML. */
export interface WishlistWantedAttributes {
  'product-id': ProductId;
  /** With `{count}` in it. */
  label?: string | undefined;
  class?: string | undefined;
}

interface PageAttributes<I> {
  cart?: boolean | '' | undefined;
  'product-url'?: string | undefined;
  /** Texts by their names, as JSON. */
  texts?: string | undefined;
  locale?: string | undefined;
  class?: string | undefined;
  /** From React 19 on. */
  'onwishlist-cart'?: ((event: CustomEvent<{ item: I }>) => void) | undefined;
}

/** The attributes of <wishlist-page>, by their names in HTML. */
export interface WishlistPageAttributes extends PageAttributes<Item> {
  list?: string | undefined;
  'shared-page'?: string | undefined;
  'shop-url'?: string | undefined;
}

/** The attributes of <wishlist-shared>, by their names in HTML. */
export interface WishlistSharedAttributes extends PageAttributes<SharedItem> {
  token?: string | undefined;
  'own-page'?: string | undefined;
}

interface Elements {
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
