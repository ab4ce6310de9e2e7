import { defineConfig } from 'vitest/config';
import { shared } from './vitest.config.ts';

/** What takes longer or needs package registries: software of others, installed when it is not there yet. */
export default defineConfig({
  test: {
    ...shared,
    include: ['tests/**/*.all.test.ts'],
    // One at a time: each file has browsers of its own beside the client's.
    maxWorkers: 1,
    hookTimeout: 300_000,
  },
});
