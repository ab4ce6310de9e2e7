// @module-tag slow
import { MemorySink } from '@turnpike/host/testing/memory-sink';
import { newRequest, startTestHost, type TestHost } from '@turnpike/host/testing/test-host';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorldProxy, type WorldProxy } from '../fixtures/network/world-proxy.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { connectBidi } from './bidi-connection.ts';

/** One session that clients of several protocols drive at once. */

watchLeaks({ wholeFile: true });

const all = new AsyncDisposableStack();
const sink = new MemorySink();
let world: WorldProxy;
let running: TestHost;

beforeAll(async () => {
  world = all.use(
    await startWorldProxy((_asked, response) => {
      response.setHeader('content-type', 'text/html').end('<title>shared</title>');
    }),
  );
  running = all.use(await startTestHost({}, undefined, sink));
});
afterAll(() => all.disposeAsync());

/** Writes a number to the console of the session's first page. */
type Write = (number: number) => Promise<unknown>;

test('three protocols drive one page, recorded in one order; a pause stops all of them and loses nothing', async () => {
  const request = newRequest(world.upstream);
  const session = await running.open({
    ...request,
    params: { ...request.params, record: true, recordPictures: 0 },
  });
  const address = (protocol: string) => session.url.replace('/cdp/', `/${protocol}/`);
  const cdp = await chromium.connectOverCDP(session.url);
  const [cdpPage] = cdp.contexts()[0]?.pages() ?? [];
  await cdpPage?.goto('http://shared.test/');
  const direct = await chromium.connect(address('playwright'));
  const [directPage] = direct.contexts()[0]?.pages() ?? [];
  const bidi = await puppeteer.connect({
    browserWSEndpoint: address('bidi'),
    protocol: 'webDriverBiDi',
    defaultViewport: null,
  });
  const [bidiPage] = await bidi.pages();
  expect(await Promise.all([cdpPage?.title(), directPage?.title(), bidiPage?.title()])).toEqual(
    Array(3).fill('shared'),
  );
  const script = (number: number) => `console.log('number ${number}')`;
  const writers: Write[] = [
    (number) => cdpPage?.evaluate(script(number)) ?? Promise.reject(),
    (number) => directPage?.evaluate(script(number)) ?? Promise.reject(),
    (number) => bidiPage?.evaluate(script(number)) ?? Promise.reject(),
  ];
  let number = 0;
  const writeInTurn = async () => {
    for (const write of [...writers, ...writers]) await write(number++);
  };
  await writeInTurn();
  const before = number;
  const holder = { id: 'h'.repeat(16), name: 'ada@example.com' };
  expect(await running.host.pauseClients(session.sessionId, holder)).toMatchObject({
    connected: 3,
    pause: { holder },
  });
  const waiting = writers.map((write) => write(number++));
  await running.host.resumeClients(session.sessionId, holder.id);
  await Promise.all(waiting);
  const after = number;
  await writeInTurn();
  await bidi.disconnect();
  await direct.close();
  await cdp.close();
  await expect.poll(async () => (await running.host.clients(session.sessionId))?.connected).toBe(0);
  await running.host.close(session.sessionId);
  await sink.ended(session.sessionId);

  const told = sink.events(session.sessionId).flatMap((event): (number | string)[] => {
    if (event.kind === 'paused' || event.kind === 'resumed') return [event.kind];
    const written = event.kind === 'console' ? /^number (\d+)$/.exec(event.text)?.[1] : undefined;
    return written === undefined ? [] : [Number(written)];
  });
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
  const inPause = told.slice(before + 2, after + 2).toSorted();
  expect([...told.slice(0, before + 2), ...inPause, ...told.slice(after + 2)]).toEqual([
    ...range(0, before),
    'paused',
    'resumed',
    ...range(before, number),
  ]);
});

test('clients of every protocol are told when the session ends', async () => {
  const session = await running.open(newRequest(world.upstream));
  const address = (protocol: string) => session.url.replace('/cdp/', `/${protocol}/`);
  const direct = await chromium.connect(address('playwright'));
  const gone = new Promise((resolve) => direct.once('disconnected', resolve));
  await using bidi = await connectBidi(address('bidi'));
  expect(await bidi.call('session.status')).toMatchObject({ result: { ready: true } });
  await running.host.close(session.sessionId);
  await gone;
  expect(await bidi.closed).toEqual({ code: 4000, reason: 'CLOSED' });
});
