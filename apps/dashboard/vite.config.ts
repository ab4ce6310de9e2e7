import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `npm run dev -w apps/dashboard` serves the sources with a running gateway behind them. */
const gateway = process.env['TURNPIKE_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react()],
  build: {
    // Nothing inline: the content security policy allows files of our own and nothing else.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // tests/dashboard/build.test.ts says what may be how large, compressed.
    chunkSizeWarningLimit: 1000,
  },
  server: { proxy: { '/dashboard/api': gateway } },
});
