import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['apps/**/*.test.ts', 'packages/**/*.test.ts', 'scripts/**/*.test.ts', 'tests/**/*.test.ts'],
    // A process a file: tests change the environment, watch their own children, and some kill themselves.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    // A real browser on a busy machine fails now and then where ours is not to blame; twice in a row it is.
    retry: process.env['CI'] ? 1 : 0,
    hookTimeout: 60_000,
    globalSetup: ['tests/global-setup.ts'],
    setupFiles: ['tests/setup.ts'],
  },
});
