import { expect, test } from 'vitest';
import { decodePageAnswer, encodePageAnswer } from './page-answers.ts';

const report = {
  url: 'https://example.com/',
  timings: { total: 12 },
  consoleErrors: [],
  failedRequests: [],
  warnings: [],
};

test('an answer arrives as it was', () => {
  const answer = { report, type: 'image/png', body: Buffer.from([0, 255, 10, 123]) };
  expect(decodePageAnswer(encodePageAnswer(answer))).toEqual(answer);
});

test('so does an error', () => {
  const answer = { report, error: { code: 'PAGE_DNS' as const, message: 'There is no such host.' } };
  expect(decodePageAnswer(encodePageAnswer(answer))).toEqual(answer);
});
