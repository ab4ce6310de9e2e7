import { globSync, readFileSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest of the real ones, by name: begun last, it would run alone at the end. */
const longest = [
  'fairness/fairness.matrix',
  'cost/linear.matrix',
  'dashboard/dashboard.matrix',
  'pool/warm-pool.matrix',
  'host/src/app.matrix',
  'fidelity/windows.matrix',
  'contract/interface-a',
  'gateway/idempotency.matrix',
  'gateway/endings.matrix',
  'clients/python.matrix',
  'live-view/live-view.matrix',
  'clients/scenarios.matrix',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification) => {
      // A process is ended when the next file is of another project.
      if (project.name === 'pure') return -1;
      const at = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at === -1 ? longest.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}

/** What both suites have: this one and that of vitest.all.config.ts. */
export const shared = {
  // Tests watch the children and sockets of their own process, so no threads. A process runs one file after the other:
  // loading the product takes a second, and there are 250 files. What a file leaves behind fails it.
  pool: 'forks',
  isolate: false,
  // Deadlines only end what hangs: none is near what a step takes, so that a busy machine fails no test.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
  globalSetup: 'tests/global-setup.ts',
  setupFiles: 'tests/setup.ts',
} as const;

const include = ['apps/**/*.test.ts', 'packages/**/*.test.ts', 'scripts/**/*.test.ts', 'tests/**/*.test.ts'];
// Those of `npm run test:all`.
const exclude = [...configDefaults.exclude, '**/*.all.test.ts'];

/** Tests of pure rules: they start nothing and change nothing outside themselves, so they need no set-up. */
const pure = globSync('{apps,packages,scripts}/**/*.test.ts', { exclude }).filter(
  (file) =>
    !/fixtures\/|testing\/|child_process|worker_threads|\bprocess\.|\bvi\./.test(readFileSync(file, 'utf8')),
);

export default defineConfig({
  test: {
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { name: 'real', ...shared, include, exclude: [...exclude, ...pure] } },
      { test: { name: 'pure', ...shared, setupFiles: [], globalSetup: [], include: pure } },
    ],
  },
});
