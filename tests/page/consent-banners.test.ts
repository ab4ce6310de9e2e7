// @module-tag slow
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { startPageHost, textOf } from './page-calls.ts';

watchLeaks();

const rules = [
  '/cmp/load.js$script',
  '###cmp-box',
  '##:nonsense(x)',
  '##.cookie-wall',
  'other.example##.cookie-wall-not',
];

test('consent banners are not loaded, and removed, by a filter list; without one the call says so', async () => {
  await using undo = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'turnpike-lists-'));
  undo.defer(() => rm(directory, { recursive: true }));
  const list = join(directory, 'banners.txt');
  await writeFile(list, rules.join('\n'));
  const host = undo.use(await startPageHost({ blockLists: { banners: [list] } }));
  const call = await host.open();
  const url = `${host.site.origin}/consent`;

  const plain = textOf(await call({ url }, ['snapshot']));
  expect(plain).toContain('loaded by the script');
  const asked = host.site.asked.length;
  const answer = await call({ url, blockConsentModals: true }, ['markdown', 'screenshot'], {
    raw: false,
  });
  expect(host.site.asked.slice(asked).map(({ path }) => path)).not.toContain('/cmp/load.js');
  expect(answer.report.failedRequests).toMatchObject([{ url: `${host.site.origin}/cmp/load.js` }]);
  expect(JSON.parse(textOf(answer)).markdown).not.toMatch(/privacy|Accept/);
  const elements = [{ selector: '#cmp-box, .cookie-wall, p' }];
  const [{ results }] = JSON.parse(textOf(await call({ elements }, ['scrape'])));
  expect(results.map(({ text }: { text: string }) => text)).toEqual(['The text', 'Kept']);

  const bare = undo.use(await startPageHost());
  const without = await (await bare.open())({ url: `${bare.site.origin}/consent`, blockConsentModals: true });
  expect(without).toMatchObject({
    error: { code: 'PAGE_FAILED', message: expect.stringContaining('this service has none') },
  });
});
