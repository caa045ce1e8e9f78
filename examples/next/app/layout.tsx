import Link from 'next/link';
import type { ReactNode } from 'react';
import { openSession } from './session';
import { Answers, Wishlist, WishlistLink } from './wishlist';

export default async function Layout({ children }: { children: ReactNode }) {
  const { customerId } = await openSession();
  const way = customerId ? 'out' : 'in';
  return (
    <html lang="en">
      <body>
        <Wishlist>
          <nav>
            <Link href="/">Shop</Link> <WishlistLink signedIn={customerId} />
          </nav>
          <form method="post" action={`/sign-${way}`}>
            <button>Sign {way}</button>
          </form>
          {children}
          <Answers />
        </Wishlist>
      </body>
    </html>
  );
}
