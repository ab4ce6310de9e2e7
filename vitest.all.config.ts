import { defineConfig } from 'vitest/config';
import { shared } from './vitest.config.ts';

/**
 * What takes longer, or needs package registries: the cells of matrices that `npm test` leaves out
 * (tests/fixtures/suite.ts), and software of others, installed when it is not there yet.
 */
export default defineConfig({
  test: {
    ...shared,
    include: ['{apps,packages,tests}/**/*.{all,matrix}.test.ts'],
    env: { TURNPIKE_TEST_SUITE: 'all' },
    // One at a time: each file has browsers of its own beside the client's.
    maxWorkers: 1,
  },
});
