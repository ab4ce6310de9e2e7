import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The gateway behind `npm run dev`. */
const gateway = process.env['TURNPIKE_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react()],
  build: {
    // The content security policy allows only files of our own, so nothing may be inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // tests/dashboard/build.test.ts checks the compressed size.
    chunkSizeWarningLimit: 1000,
  },
  // The gateway compares `Origin` with `Host`, so the browser's `Host` is passed on.
  server: {
    proxy: {
      '/api/browser': { target: gateway, changeOrigin: false },
      '/dashboard/api': { target: gateway, changeOrigin: false },
      '/docs': { target: gateway, changeOrigin: false },
      '/user/api': { target: gateway, changeOrigin: false },
    },
  },
});
