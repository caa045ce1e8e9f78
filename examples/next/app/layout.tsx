import Script from 'next/script';
import type { ReactNode } from 'react';

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        {children}
        <Script type="module" src="/apps/wishlist/assets/wishwell.js" />
      </body>
    </html>
  );
}
