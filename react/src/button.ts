import {
  defineButton,
  type Change,
  type Match,
  type ProductId,
  type SignIn,
} from '@wishwell/browser';
import { createElement, useEffect, useRef, type HTMLAttributes, type ReactElement } from 'react';
import { useWishlist } from './context.js';

export interface WishlistButtonProps extends HTMLAttributes<HTMLElement> {
  productId: ProductId;
  /** The variant that is shown or chosen. */
  variantId?: ProductId | null | undefined;
  /** What the heart stands for; by default the variant, or without `variantId` the product. */
  match?: Match | undefined;
  /** The tooltip and, without a text as children, the accessible name. */
  label?: string | undefined;
  /** The label while it is saved, which then says the state in place of `aria-pressed`. */
  labelSaved?: string | undefined;
  /** The shop's sign-in page, for visitors who can't save; without it the heart shows a message. */
  signIn?: string | undefined;
  /** That page's query parameter for the address to come back to. */
  signInReturn?: string | undefined;
  /** The message without `signIn`. */
  labelSignIn?: string | undefined;
  disabled?: boolean | undefined;
  /** The heart has changed: by a press, by another heart or tab, or because a press failed. */
  onWishlistChange?: ((change: Change) => void) | undefined;
  /** A visitor can't save before they sign in; `preventDefault()` leaves the sign-in to you. */
  onWishlistSignIn?: ((event: CustomEvent<SignIn>) => void) | undefined;
}

/** The element <wishlist-button>; a server renders its tag, and the heart is drawn in the browser. */
export function WishlistButton({
  productId,
  variantId,
  match,
  label,
  labelSaved,
  signIn,
  signInReturn,
  labelSignIn,
  disabled,
  className,
  onWishlistChange,
  onWishlistSignIn,
  ...rest
}: WishlistButtonProps): ReactElement {
  const wishlist = useWishlist();
  const ref = useRef<HTMLElement>(null);
  useEffect(() => defineButton(wishlist), [wishlist]);
  useEffect(() => {
    const removal = new AbortController();
    const { signal } = removal;
    const changed = ({ detail }: CustomEvent<Change>) => onWishlistChange?.(detail);
    ref.current?.addEventListener('wishlist-change', changed, { signal });
    if (onWishlistSignIn) {
      ref.current?.addEventListener('wishlist-sign-in', onWishlistSignIn, { signal });
    }
    return () => removal.abort();
  }, [onWishlistChange, onWishlistSignIn]);
  return createElement('wishlist-button', {
    ...rest,
    ref,
    'product-id': productId,
    'variant-id': variantId ?? undefined,
    match,
    label,
    'label-saved': labelSaved,
    'sign-in': signIn,
    'sign-in-return': signInReturn,
    'label-sign-in': labelSignIn,
    // React 18 knows neither boolean attributes of such an element, nor its className.
    disabled: disabled ? '' : undefined,
    class: className,
    // A part of the page that hydrates later may find its heart drawn, with the attribute `saved`.
    suppressHydrationWarning: true,
  });
}
