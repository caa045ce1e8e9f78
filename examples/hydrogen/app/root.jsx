import { Outlet } from 'react-router';

export default function Root() {
  return (
    <html lang="en">
      <body>
        <Outlet />
        <script type="module" src="/apps/wishlist/assets/wishwell.js" />
      </body>
    </html>
  );
}
