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
  /** The variant shown or chosen on the page. */
  variantId?: ProductId | null | undefined;
  /** Whether the heart is for the variant (default) or the product, also without `variantId`. */
  match?: Match | undefined;
  /** The tooltip and, without text in `children`, the accessible name. */
  label?: string | undefined;
  /** The label while saved. If given, it conveys the state instead of `aria-pressed`. */
  labelSaved?: string | undefined;
  /** The shop's sign-in page, for visitors who can't save. Without it the heart shows a message. */
  signIn?: string | undefined;
  /** The sign-in page's query parameter for the URL to return to. */
  signInReturn?: string | undefined;
  /** The message shown without `signIn`. */
  labelSignIn?: string | undefined;
  /** The list that it is saved on, by name; created if missing. */
  list?: string | undefined;
  /** Tags of the saved item, separated by commas. */
  tags?: string | undefined;
  quantity?: number | undefined;
  /** Whether a press also opens a menu of the shopper's lists. */
  chooseList?: boolean | undefined;
  disabled?: boolean | undefined;
  /** Called when the heart changes: by a press, by another heart or tab, or by a failed press. */
  onWishlistChange?: ((change: Change) => void) | undefined;
  /** Called when a visitor must sign in to save; `preventDefault()` leaves the sign-in to you. */
  onWishlistSignIn?: ((event: CustomEvent<SignIn>) => void) | undefined;
}

/** The element <wishlist-button>. A server renders only its tag; the browser draws the heart. */
export function WishlistButton({
  productId,
  variantId,
  match,
  label,
  labelSaved,
  signIn,
  signInReturn,
  labelSignIn,
  list,
  tags,
  quantity,
  chooseList,
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
    list,
    tags,
    quantity,
    'choose-list': chooseList ? '' : undefined,
    // React 18 supports neither boolean attributes nor className on custom elements.
    disabled: disabled ? '' : undefined,
    class: className,
    // A part that hydrates late may find its heart already drawn, with the attribute `saved`.
    suppressHydrationWarning: true,
  });
}
