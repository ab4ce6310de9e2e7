// @module-tag slow
import type { Worker } from 'node:worker_threads';
import { Raw } from '@turnpike/host/testing/raw-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { type CallPage, codeOf, type PageHost, startPageHost, textOf } from './page-calls.ts';

/** Pages that mean harm. Each is an error with its code, or a bounded answer; and other sessions are served meanwhile. */

watchLeaks({ wholeFile: true });

let host: PageHost;
let bystander: CallPage;
/** The thread of page calls that was started last. */
let pageThread: Worker | undefined;
const noteThread = (worker: Worker) => {
  if (worker.threadName === 'page') pageThread = worker;
};
beforeAll(async () => {
  process.on('worker', noteThread);
  host = await startPageHost();
  bystander = await host.open();
});
afterAll(async () => {
  process.off('worker', noteThread);
  await host[Symbol.asyncDispose]();
});

/** Codes of a call, or how its text begins. */
const hostile: Record<string, { accepted: (string | RegExp)[]; parameters?: object; timeoutMs?: number }> = {
  '/alerts': { accepted: ['PAGE_TIMEOUT', 'PAGE_FAILED'], timeoutMs: 8000 },
  '/busy': { accepted: ['PAGE_TIMEOUT'], timeoutMs: 5000 },
  '/silent': { accepted: ['PAGE_TIMEOUT'], timeoutMs: 3000 },
  '/slow-body': { accepted: ['PAGE_TIMEOUT'], timeoutMs: 5000 },
  '/large.bin': { accepted: ['PAGE_TOO_LARGE'] },
  '/gzip': { accepted: ['PAGE_TOO_LARGE', 'PAGE_CRASHED', 'PAGE_TIMEOUT', 'PAGE_CLOSED'] },
  '/huge': { accepted: ['PAGE_TOO_LARGE'] },
  '/flood': { accepted: [/flooded/, 'PAGE_TIMEOUT'] },
  '/popups': { accepted: [/popups/, 'PAGE_TIMEOUT'] },
  '/refresh': { accepted: [/refresh/, 'PAGE_FAILED', 'PAGE_TIMEOUT'] },
  '/unload': { accepted: [/unload/] },
  '/endless': { accepted: [/<body/], parameters: { scrollPage: true } },
};

for (const [path, { accepted, parameters = {}, timeoutMs = 30_000 }] of Object.entries(hostile)) {
  test(`${path} ends by itself, and another session is served`, async () => {
    const call = await host.open();
    const { origin } = host.site;
    const answering = call({ url: `${origin}${path}`, ...parameters }, ['content'], { timeoutMs });
    const other = await bystander({ url: `${origin}/next` }, ['content'], { timeoutMs: 30_000 });
    expect(textOf(other)).toContain('<h1>Next</h1>');
    const answer = await answering;
    const given = 'error' in answer ? answer.error.code : textOf(answer);
    expect(
      accepted.some((one) => (typeof one === 'string' ? given === one : one.test(given))),
      given.slice(0, 200),
    ).toBe(true);
    expect(JSON.stringify(answer.report).length).toBeLessThan(60_000);
    await host.running.host.close(call.sessionId);
  });
}

test('a page that closes itself is an error', async () => {
  const call = await host.open();
  const html = '<script>setTimeout(() => window.close(), 50)</script>';
  expect(codeOf(await call({ html, waitForTimeout: 10_000 }))).toBe('PAGE_CLOSED');
  await host.running.host.close(call.sessionId);
});

test('a page that crashes is an error', async () => {
  const call = await host.open();
  const answering = call({ url: `${host.site.origin}/next`, waitForTimeout: 20_000 });
  await expect.poll(() => host.site.asked.filter(({ path }) => path === '/next').length).toBeGreaterThan(0);
  await using raw = await Raw.connect(call.url);
  const page = await raw.attachToPage();
  // Before that it is the empty page that would crash.
  const address = async () => {
    const { result } = await raw.call('Runtime.evaluate', { expression: 'location.pathname' }, page);
    return (result as { result: { value: string } }).result.value;
  };
  await expect.poll(address).toBe('/next');
  raw.socket.send(JSON.stringify({ id: 9000, method: 'Page.crash', params: {}, sessionId: page }));
  expect(codeOf(await answering)).toBe('PAGE_CRASHED');
  await host.running.host.close(call.sessionId);
});

test('a call ends with its session', async () => {
  const call = await host.open();
  const answering = call({ url: `${host.site.origin}/silent` });
  await expect.poll(() => host.site.asked.some(({ path }) => path === '/silent')).toBe(true);
  await host.running.host.close(call.sessionId);
  expect(codeOf(await answering)).toBe('PAGE_CLOSED');
});

test('calls of one session are served one after the other, and a fifth is refused', async () => {
  const call = await host.open();
  const url = `${host.site.origin}/next`;
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => call({ url }, ['content'], { timeoutMs: 60_000 })),
  );
  expect(answers.map(codeOf)).toEqual([...Array(4).fill('no error'), 'PAGE_FAILED']);
  await host.running.host.close(call.sessionId);
});

test('when the thread of page calls dies, its calls are errors, and the next ones have another', async () => {
  const call = await host.open();
  const asked = () => host.site.asked.filter(({ path }) => path === '/silent').length;
  const before = asked();
  const answering = [call, bystander].map((each) => each({ url: `${host.site.origin}/silent` }));
  await expect.poll(asked).toBeGreaterThanOrEqual(before + 2);
  const died = pageThread;
  await died?.terminate();
  expect((await Promise.all(answering)).map(codeOf)).toEqual(['PAGE_FAILED', 'PAGE_FAILED']);
  // Their sessions go on.
  for (const each of [call, bystander])
    expect(textOf(await each({ url: `${host.site.origin}/next` }))).toContain('Next');
  expect(pageThread).not.toBe(died);
  await host.running.host.close(call.sessionId);
});

test('a caller that goes away leaves nothing behind', async () => {
  const call = await host.open();
  const leaving = new AbortController();
  const wanted = {
    parameters: { url: `${host.site.origin}/silent` },
    formats: ['content' as const],
    raw: true,
    timeoutMs: 60_000,
  };
  const answering = host.running.host.callPage(call.sessionId, wanted, leaving.signal);
  leaving.abort(new Error('gone'));
  await expect(answering).rejects.toThrow('gone');
  await expect.poll(async () => (await host.running.host.clients(call.sessionId))?.connected).toBe(0);
  expect(textOf(await call({ url: `${host.site.origin}/next` }))).toContain('Next');
});
