import { defineConfig } from '@medusajs/framework/utils';

module.exports = defineConfig({
  admin: { disable: true },
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    http: {
      adminCors: process.env.ADMIN_CORS ?? '',
      authCors: process.env.AUTH_CORS ?? '',
      storeCors: process.env.STORE_CORS ?? '',
      cookieSecret: process.env.COOKIE_SECRET,
      jwtSecret: process.env.JWT_SECRET,
    },
  },
});
