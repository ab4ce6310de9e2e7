import { cells } from '../fixtures/suite.ts';

interface Mode {
  name: string;
  headless: 'true' | 'false';
  /** `npm test` has all but what takes long of a headful browser: `npm run test:all` takes only that. */
  isDone: boolean;
}

/** The browsers that this suite attacks from. */
export const modes = cells<Mode>({
  quick: [{ name: 'headful', headless: 'false', isDone: false }],
  rest: [
    { name: 'headful', headless: 'false', isDone: true },
    { name: 'headless', headless: 'true', isDone: false },
  ],
});
