import type { Item, SharedItem } from '@wishwell/browser';
import type { Texts } from '@wishwell/browser/page';
import { createElement, useEffect, useRef, type HTMLAttributes, type ReactElement } from 'react';
import { useWishlist } from './context.js';

interface PageProps<I> extends HTMLAttributes<HTMLElement> {
  /** Whether each card's main button is "Add to cart", told by `onWishlistCart`. */
  cart?: boolean | undefined;
  /** The address of products whose own is not known, with `{productId}` and `{variantId}`. */
  productUrl?: string | undefined;
  texts?: Partial<Texts> | undefined;
  /** For prices; the language's own without it. */
  locale?: string | undefined;
  /** "Add to cart" was pressed: say when it is there. */
  onWishlistCart?: ((event: CustomEvent<{ item: I }>) => void) | undefined;
}

export interface WishlistPageProps extends PageProps<Item> {
  /** The list that is shown first. */
  list?: string | undefined;
  /** The shop's page for shared lists, with `{token}`. */
  sharedPage?: string | undefined;
  /** Where an empty wishlist leads to. */
  shopUrl?: string | undefined;
}

export interface WishlistSharedProps extends PageProps<SharedItem> {
  /** Without it, the one behind the address's `#`. */
  token?: string | undefined;
  /** The shop's wishlist page. */
  ownPage?: string | undefined;
}

/** The element <wishlist-page>, drawn in the browser alone. */
export function WishlistPage({
  list,
  sharedPage,
  shopUrl,
  ...rest
}: WishlistPageProps): ReactElement {
  return usePage('wishlist-page', rest, { list, 'shared-page': sharedPage, 'shop-url': shopUrl });
}

/** The element <wishlist-shared>, drawn in the browser alone. */
export function WishlistShared({ token, ownPage, ...rest }: WishlistSharedProps): ReactElement {
  return usePage('wishlist-shared', rest, { token, 'own-page': ownPage });
}

function usePage<I>(
  name: 'wishlist-page' | 'wishlist-shared',
  { cart, productUrl, texts, className, onWishlistCart, ...rest }: PageProps<I>,
  attributes: object,
): ReactElement {
  const wishlist = useWishlist();
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    // Only a page that shows one of them loads the module.
    import('@wishwell/browser/page').then(({ definePage, defineShared }) => {
      definePage(wishlist);
      defineShared(wishlist);
    });
  }, [wishlist]);
  useEffect(() => {
    const removal = new AbortController();
    const told = onWishlistCart as unknown as EventListener | undefined;
    if (told) ref.current?.addEventListener('wishlist-cart', told, removal);
    return () => removal.abort();
  }, [onWishlistCart]);
  return createElement(name, {
    ...rest,
    ...attributes,
    ref,
    // React 18 knows neither boolean attributes of such an element, nor its className.
    cart: cart ? '' : undefined,
    class: className,
    'product-url': productUrl,
    texts: texts && JSON.stringify(texts),
  });
}
