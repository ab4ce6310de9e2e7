// @module-tag slow

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { newRequest, startTestHost } from '@turnpike/host/testing/test-host';
import { expect, it } from 'vitest';
import { processTable } from '../fixtures/process/process-table.ts';
import { startService } from '../fixtures/service/service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { trends } from '../stress/soak-trend.ts';
import { uploadRounds } from '../stress/upload-rounds-run.ts';
import { pidsOf } from './session-group.ts';
import { siteBehindProxy } from './site.ts';

watchLeaks();

const site = siteBehindProxy();

/** Sends the first of a file and no more. */
function stalledUpload(url: string): ClientRequest {
  const upload = request(url, { method: 'PUT' });
  upload.on('error', () => {}); // The test ends it, or the session's end does.
  upload.write(Buffer.alloc(64 * 1024));
  return upload;
}

const httpUrl = (url: string) => url.replace(/^ws/, 'http');
const realUser = (pid: number) => /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];

function keysOfChildren(): string[] {
  const table = processTable();
  return pidsOf('', process.pid).flatMap((pid) => table.get(pid)?.key ?? []);
}

it('300 stalled uploads to a session cost no process: some wait, the others are refused, and it is still answered', async () => {
  await using running = await startTestHost();
  const session = await running.open(newRequest(site.proxy));
  const files = `${httpUrl(session.url)}/files`;
  const children = () =>
    pidsOf('', process.pid).filter((pid) => processTable().get(pid)?.parent === process.pid);
  const before = children();
  const answers: (number | undefined)[] = [];
  const uploads = Array.from({ length: 300 }, (_, index) => {
    const upload = stalledUpload(`${files}/${index}`);
    upload.once('response', ({ statusCode }) => answers.push(statusCode));
    return upload;
  });
  await expect.poll(() => answers.length).toBe(284);
  expect(new Set(answers)).toEqual(new Set([429]));
  expect(children()).toEqual(before);
  expect(await (await fetch(files)).json()).toEqual({ files: [] });
  await running.host.close(session.sessionId);
  await expect.poll(() => answers.length).toBe(300);
  expect(new Set(answers.slice(284))).toEqual(new Set([410]));
  for (const upload of uploads) upload.destroy();
});

it('a session that is closed under its uploads takes them along, and nothing of it runs when another has its user id', async () => {
  await using running = await startTestHost({ seats: 1 });
  const before = keysOfChildren();
  const session = await running.open(newRequest(site.proxy));
  const files = `${httpUrl(session.url)}/files`;
  const upload = stalledUpload(`${files}/half`);
  const answered = once(upload, 'response');
  await expect.poll(async () => (await fetch(files)).status).toBe(200);
  const own = keysOfChildren().filter((key) => !before.includes(key));
  const users = pidsOf('bwrap').map(realUser);
  await running.host.close(session.sessionId);
  const [{ statusCode }] = await answered;
  expect(statusCode).toBe(410);
  upload.destroy();
  const next = await running.open(newRequest(site.proxy));
  expect(pidsOf('bwrap').map(realUser)).toEqual(users);
  const alive = new Set([...processTable().values()].map(({ key }) => key));
  expect(own.filter((key) => alive.has(key))).toEqual([]);
  await running.host.close(next.sessionId);
});

it('SIGTERM does not wait for uploads that stall', async () => {
  await using service = await startService();
  const account = await service.account();
  const { json } = await account.create({ headless: true });
  const location = await account.get(`/api/browser/${json.browserId}/files`);
  const files = location.headers.get('location') ?? '';
  const uploads = Array.from({ length: 8 }, (_, index) => stalledUpload(`${files}/${index}`));
  await expect.poll(async () => (await fetch(files)).status).toBe(200);
  const startedAt = performance.now();
  expect(await service.stop()).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  for (const upload of uploads) upload.destroy();
});

it('20 rounds of open, upload, abort and close leave user ids, processes, descriptors and mounts as they were', async () => {
  const { samples, failures, helpers } = await uploadRounds({ rounds: 20 });
  expect(failures).toEqual([]);
  expect(helpers.most).toBe(helpers.before);
  expect(trends(samples, 0)).toEqual([]);
  // One is on its way out while the next is on its way in.
  expect(samples.at(-1)?.userIds).toBeLessThanOrEqual(2);
});
