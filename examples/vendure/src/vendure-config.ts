import {
  DefaultJobQueuePlugin,
  DefaultSchedulerPlugin,
  dummyPaymentHandler,
  type VendureConfig,
} from '@vendure/core';

import { WishwellPlugin } from './plugins/wishwell/wishwell.plugin';

const { env } = process;

export const config: VendureConfig = {
  apiOptions: {
    hostname: '127.0.0.1',
    port: Number(env.PORT ?? 3000),
    adminApiPath: 'admin-api',
    shopApiPath: 'shop-api',
    trustProxy: 'loopback',
    cors: false,
    csrfPrevention: true,
  },
  authOptions: {
    tokenMethod: ['bearer', 'cookie'],
    superadminCredentials: {
      identifier: env.SUPERADMIN_USERNAME!,
      password: env.SUPERADMIN_PASSWORD!,
    },
    cookieOptions: { secret: env.COOKIE_SECRET },
  },
  dbConnectionOptions: { type: 'postgres', url: env.DATABASE_URL, synchronize: true },
  paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
  plugins: [
    DefaultJobQueuePlugin.init({}),
    DefaultSchedulerPlugin.init({}),
    WishwellPlugin.init({
      api: env.WISHLIST_API!,
      adminToken: env.WISHLIST_ADMIN_TOKEN!,
      storefrontToken: env.WISHLIST_STOREFRONT_TOKEN!,
      productUrl: 'https://shop.example/products/{slug}',
      assetUrl: 'https://shop.example/assets/',
    }),
  ],
};
