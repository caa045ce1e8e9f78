import { reactRouter } from '@react-router/dev/vite';
import { hydrogen } from '@shopify/hydrogen/vite';
import { oxygen } from '@shopify/mini-oxygen/vite';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [hydrogen(), oxygen({ env: process.env }), reactRouter()],
});
