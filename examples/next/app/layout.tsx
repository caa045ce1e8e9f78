import Link from 'next/link';
import type { ReactNode } from 'react';
import { openSession } from './session';
import { Wishlist, WishlistLink } from './wishlist';

export default async function Layout({ children }: { children: ReactNode }) {
  const way = (await openSession()).customerId ? 'out' : 'in';
  return (
    <html lang="en">
      <body>
        <Wishlist>
          <nav>
            <Link href="/">Shop</Link> <WishlistLink />
          </nav>
          <form method="post" action={`/sign-${way}`}>
            <button>Sign {way}</button>
          </form>
          {children}
        </Wishlist>
      </body>
    </html>
  );
}
