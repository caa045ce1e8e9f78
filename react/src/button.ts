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
  /** The same while it is saved, for a heart whose name says the state; `aria-pressed` does not then. */
  labelSaved?: string | undefined;
  /** The shop's page to sign in on, where a visitor has no wishlist; without it the heart says so. */
  signIn?: string | undefined;
  /** The parameter of that page that takes the address to come back to. */
  signInReturn?: string | undefined;
  /** What the heart says without `signIn`. */
  labelSignIn?: string | undefined;
  disabled?: boolean | undefined;
  /** The heart has changed: by a press, by another heart or tab, or because a press failed. */
  onWishlistChange?: ((change: Change) => void) | undefined;
  /** Only a customer may save; `preventDefault()` leaves it to you to have them sign in. */
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
    const heart = ref.current;
    if (!heart || !onWishlistChange) return;
    const listener = ({ detail }: CustomEvent<Change>) => onWishlistChange(detail);
    heart.addEventListener('wishlist-change', listener);
    return () => heart.removeEventListener('wishlist-change', listener);
  }, [onWishlistChange]);
  useEffect(() => {
    const heart = ref.current;
    if (!heart || !onWishlistSignIn) return;
    heart.addEventListener('wishlist-sign-in', onWishlistSignIn);
    return () => heart.removeEventListener('wishlist-sign-in', onWishlistSignIn);
  }, [onWishlistSignIn]);
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
