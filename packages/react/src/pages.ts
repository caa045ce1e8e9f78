import type { Item, SharedItem } from '@wishwell/browser';
import type { Texts } from '@wishwell/browser/page';
import { createElement, useEffect, useRef, type HTMLAttributes, type ReactElement } from 'react';
import { useWishlist } from './context.js';

/** `items` to put into the cart; also `item`, unless "Add all to cart" was pressed. */
export interface CartDetail<I> {
  item?: I | undefined;
  items: I[];
}

interface PageProps<I> extends HTMLAttributes<HTMLElement> {
  /** Whether cards have a button "Add to cart", which calls `onWishlistCart`. */
  cart?: boolean | undefined;
  /** URL of products without a known URL, with `{productId}` and `{variantId}`. */
  productUrl?: string | undefined;
  texts?: Partial<Texts> | undefined;
  /** Locale for prices; by default that of the language. */
  locale?: string | undefined;
  /** URL of the shop's cart that adds a product, with `{productId}`, `{variantId}`, `{quantity}`. */
  cartUrl?: string | undefined;
  /** URL that an empty wishlist links to. */
  shopUrl?: string | undefined;
  /** Called when "Add to cart" is pressed. Tell the shopper when the item is in the cart. */
  onWishlistCart?: ((event: CustomEvent<CartDetail<I>>) => void) | undefined;
}

export interface WishlistPageProps extends PageProps<Item> {
  /** Id of the list shown first. */
  list?: string | undefined;
  /** The shop's page for shared lists, with `{token}`. */
  sharedPage?: string | undefined;
  /** The shop's sign-in page. With it, a visitor gets a hint to sign in. */
  signIn?: string | undefined;
}

export interface WishlistSharedProps extends PageProps<SharedItem> {
  /** The share's token; by default the one in the URL's fragment. */
  token?: string | undefined;
  /** The shop's wishlist page. */
  ownPage?: string | undefined;
}

/** The element <wishlist-page>, rendered in the browser only. */
export function WishlistPage({
  list,
  sharedPage,
  signIn,
  ...rest
}: WishlistPageProps): ReactElement {
  return usePage('wishlist-page', rest, { list, 'shared-page': sharedPage, 'sign-in': signIn });
}

/** The element <wishlist-shared>, rendered in the browser only. */
export function WishlistShared({ token, ownPage, ...rest }: WishlistSharedProps): ReactElement {
  return usePage('wishlist-shared', rest, { token, 'own-page': ownPage });
}

function usePage<I>(
  name: 'wishlist-page' | 'wishlist-shared',
  { cart, cartUrl, productUrl, shopUrl, texts, className, onWishlistCart, ...rest }: PageProps<I>,
  attributes: object,
): ReactElement {
  const wishlist = useWishlist();
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    // Only pages with a wishlist or a shared list load the module.
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
    // React 18 supports neither boolean attributes nor className on custom elements.
    cart: cart ? '' : undefined,
    class: className,
    'cart-url': cartUrl,
    'product-url': productUrl,
    'shop-url': shopUrl,
    texts: texts && JSON.stringify(texts),
  });
}
