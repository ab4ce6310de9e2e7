import { configDefaults, defineConfig } from 'vitest/config';
import { shared } from './vitest.config.ts';

/** These measure time, memory or load, or fill the machine: nothing else runs beside them. */
const alone = [
  'apps/host/src/pool/start-burst.all.test.ts',
  'tests/faults/faults.matrix.test.ts',
  'tests/fuzz/fuzz.all.test.ts',
  'tests/isolation/*.{all,matrix}.test.ts',
  'tests/load/*.all.test.ts',
];

const suite = {
  ...shared,
  env: { TURNPIKE_TEST_SUITE: 'all' },
};
const include = ['{apps,packages,tests}/**/*.{all,matrix}.test.ts'];

/**
 * What takes longer, or needs package registries: the cells of matrices that `npm test` leaves out
 * (tests/fixtures/suite.ts), and software of others, installed when it is not there yet.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...suite,
          ...{ name: 'beside others', include, exclude: [...configDefaults.exclude, ...alone] },
          ...{ maxWorkers: 3, sequence: { groupOrder: 0 } },
        },
      },
      {
        test: {
          ...suite,
          ...{ name: 'alone', include: alone },
          ...{ maxWorkers: 1, isolate: true, sequence: { groupOrder: 1 } },
        },
      },
    ],
  },
});
