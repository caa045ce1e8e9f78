import { defineConfig } from '@medusajs/framework/utils';

const { ADMIN_CORS = '', AUTH_CORS = '', COOKIE_SECRET, DATABASE_URL, JWT_SECRET, STORE_CORS = '' } = process.env;

module.exports = defineConfig({
  admin: { disable: true },
  projectConfig: {
    databaseUrl: DATABASE_URL,
    http: {
      adminCors: ADMIN_CORS,
      authCors: AUTH_CORS,
      storeCors: STORE_CORS,
      cookieSecret: COOKIE_SECRET,
      jwtSecret: JWT_SECRET,
    },
  },
});
