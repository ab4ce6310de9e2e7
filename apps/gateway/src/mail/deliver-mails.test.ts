import { expect, test } from 'vitest';
import { nextAttempt } from './deliver-mails.ts';

test('retries come later and later, and end when nobody needs the e-mail any more', () => {
  const attempt = (attempts: number, give_up_at: number) => nextAttempt({ attempts, give_up_at }, 0);
  const day = 86_400_000;
  expect([1, 2, 3, 4, 5, 6, 50].map((attempts) => attempt(attempts, day))).toEqual(
    [5, 30, 120, 600, 1800, 1800, 1800].map((seconds) => seconds * 1000),
  );
  expect(attempt(3, 120_000)).toBeUndefined();
});
