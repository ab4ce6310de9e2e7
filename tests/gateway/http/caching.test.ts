import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as dashboard from '@turnpike/contract/dashboard/routes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DashboardHarness, startDashboardHarness } from '../../dashboard/harness.ts';
import { type ScratchDirectory, scratchDirectory } from '../../fixtures/process/scratch-directory.ts';
import { makeUpRecording } from '../../fixtures/recordings/made-up-recording.ts';
import { keptIn, storeRecording } from '../../fixtures/recordings/stored-recordings.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

/** Answers whose authorization is in a header or a cookie. A cache finds them by their URL alone. */

watchLeaks();

let directory: ScratchDirectory;
let harness: DashboardHarness;
beforeAll(async () => {
  directory = await scratchDirectory('caching');
  harness = await startDashboardHarness('sqlite', { recordings: keptIn(directory.path) });
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

/** Every path of the API and of the dashboard that is read. */
function readPaths(): string[] {
  const document = readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8');
  const { paths } = JSON.parse(document) as { paths: Record<string, object> };
  const api = Object.entries(paths).flatMap(([path, methods]) => ('get' in methods ? [path] : []));
  const pages = Object.entries(dashboard).flatMap(([name, map]) =>
    Object.keys(name === 'apiRoutes' ? {} : map)
      .filter((key) => key.startsWith('GET '))
      .map((key) => `/dashboard/api${/^operator/.test(name) ? '/operator' : ''}${key.slice('GET '.length)}`),
  );
  return [...api, ...pages];
}

test('no answer that depends on who asks may be kept by a cache', async () => {
  const { account, visitor } = await harness.accountPerson();
  const { visitor: operator } = await harness.operatorPerson();
  const sessionId = (await account.create({ record: true })).json.browserId as string;
  const made = makeUpRecording({ sessionId, minutes: 1, pictures: [Buffer.from('a JPEG')] });
  await storeRecording(harness.gateway, made);
  const share = await account.post(`/api/browser/${sessionId}/recording/share`, { hours: 1 });
  const token = {
    'x-recording-token': new URL(share.json.url).hash.slice('#token='.length),
  };
  const wrong: string[] = [];
  const statuses = new Map<string, number[]>();
  for (const template of readPaths()) {
    // Streams have no end; their own test looks at their headers.
    if (template === '/user/api/events' || template === '/connect') continue;
    const path = template
      .replaceAll(/\{(id|sessionId|browserId)\}|:id/g, sessionId)
      .replaceAll(/\{\w+\}|:\w+/g, '0');
    const query = path.includes('events') ? '?from=0&to=0' : path.includes('export') ? '?format=ndjson' : '';
    const callers = [
      [harness.visitor(), { 'x-api-key': account.key }],
      [visitor, {}],
      [operator, {}],
    ] as const;
    for (const [by, key] of callers) {
      const answer = await by.get(path + query, { ...token, ...key });
      if (answer.headers.get('cache-control') !== 'no-store') wrong.push(`${answer.status} ${path}`);
      statuses.set(template, [...(statuses.get(template) ?? []), answer.status]);
    }
  }
  expect(wrong).toEqual([]);
  for (const path of ['/overview', '/operator/accounts'])
    expect(statuses.get(`/dashboard/api${path}`), path).toContain(200);
  expect(statuses.get('/api/browser/{id}/recording/pictures/{chunk}/{picture}')).toEqual([200, 200, 403]);
  expect(statuses.get('/dashboard/api/shared-recording/pictures/:chunk/:picture')).toEqual([200, 200, 200]);
});
