import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { alone } from './tests/alone.ts';

/** What takes longest, by name: begun last, it would run alone at the end. */
const longest = [
  'fairness/fairness',
  'cost/linear',
  'dashboard/dashboard',
  'pool/warm-pool',
  'host/src/app',
  'fidelity/windows',
  'contract/interface-a',
  'gateway/creates/idempotency',
  'gateway/sessions/endings',
  'clients/python',
  'live-view/live-view',
  'clients/scenarios',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at === -1 ? longest.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}

const shared = {
  // Tests watch the children and sockets of their own process, so no threads. A process runs one file after the other:
  // loading the product takes a second, and there are 300 files. What a file leaves behind fails it.
  pool: 'forks',
  isolate: false,
  // Deadlines only end what hangs: none is near what a step takes, so that a busy machine fails no test.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
  globalSetup: 'tests/global-setup.ts',
  setupFiles: 'tests/setup.ts',
} as const;

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    tags: [
      {
        name: 'slow',
        description: 'Takes long, needs package registries, or is another cell of a matrix: not in npm test.',
      },
    ],
    projects: [
      {
        test: {
          ...shared,
          ...{ name: 'beside others', maxWorkers: 3, sequence: { groupOrder: 0 } },
          include: ['{apps,packages,scripts,tests}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...alone],
        },
      },
      {
        test: {
          ...shared,
          ...{ name: 'alone', maxWorkers: 1, isolate: true, sequence: { groupOrder: 1 } },
          include: alone,
        },
      },
    ],
  },
});
