import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['apps/**/*.test.ts', 'packages/**/*.test.ts', 'scripts/**/*.test.ts', 'tests/**/*.test.ts'],
    // A process a file: tests change the environment, watch their own children, and some kill themselves.
    pool: 'forks',
    // What is waited for comes when it comes; a second is little on a machine that others use too.
    expect: { poll: { timeout: 10_000 } },
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // Real browsers and databases on two busy cores are late now and then; what fails twice in a row is ours.
    retry: process.env['CI'] ? 1 : 0,
    globalSetup: ['tests/global-setup.ts'],
    setupFiles: ['tests/setup.ts'],
  },
});
