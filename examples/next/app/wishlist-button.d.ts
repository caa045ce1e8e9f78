import type { HTMLAttributes } from 'react';

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'wishlist-button': HTMLAttributes<HTMLElement> & {
        'product-id': string | number;
        'variant-id'?: string | number;
      };
    }
  }
}
