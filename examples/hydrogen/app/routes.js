import { index, route } from '@react-router/dev/routes';

export default [index('routes/_index.jsx'), route('apps/wishlist/*', 'routes/apps.wishlist.$.js')];
