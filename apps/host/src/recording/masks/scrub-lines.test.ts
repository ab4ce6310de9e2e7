import { expect, test } from 'vitest';
import { scrubLines } from './scrub-lines.ts';
import { SecretSet } from './secret-set.ts';

const textOf = async (lines: readonly object[], secrets: SecretSet): Promise<unknown[]> => {
  const text = (
    await scrubLines(
      lines.map((line) => JSON.stringify(line)),
      secrets,
    )
  ).toString();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
};

test('a secret that is a word of the service leaves events as they are', async () => {
  const secrets = new SecretSet(['request', 'headers', 'isMainFrame', 'completed']);
  const lines = [
    { t: 1, kind: 'download.done', id: '1', state: 'completed', bytes: 1 },
    { t: 2, kind: 'navigated', url: 'http://a.test/request', isMainFrame: true },
  ];
  expect(await textOf(lines, secrets)).toEqual([lines[0], { ...lines[1], url: 'http://a.test/•••' }]);
});

test('the lines of a chunk of the largest size are looked through in parts, and others have their turn', async () => {
  const line = { t: 1, kind: 'console', level: 'info', text: 'word '.repeat(800) };
  const lines = Array.from({ length: 240 }, () => line);
  let turns = 0;
  const count = () => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  expect(await textOf(lines, new SecretSet())).toEqual(lines);
  clearImmediate(timer);
  expect(turns).toBeGreaterThanOrEqual(14);
});
