// @module-tag slow

import type { BrowserParams } from '@turnpike/contract/create-parameters';
import { MemorySink } from '@turnpike/host/testing/memory-sink';
import {
  newRequest,
  type OpenedSession,
  startTestHost,
  type TestHost,
} from '@turnpike/host/testing/test-host';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorldProxy, type WorldProxy } from '../fixtures/network/world-proxy.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { click, keyPress, RfbClient } from '../live-view/rfb-client.ts';
import { answeredShare, expectRecorded, planted, respond, visitWithPlaywright } from './recorded-shop.ts';

watchLeaks({ wholeFile: true });

const all = new AsyncDisposableStack();
const sink = new MemorySink();
let world: WorldProxy;
let running: TestHost;

beforeAll(async () => {
  world = all.use(await startWorldProxy(respond));
  running = all.use(await startTestHost({}, undefined, sink));
});
afterAll(() => all.disposeAsync());

async function open(params: Partial<BrowserParams>): Promise<OpenedSession> {
  const { proxyUser: username, proxyPassword: password } = planted;
  const request = newRequest({ ...world.upstream, username, password });
  return running.open({ ...request, params: { ...request.params, ...params } });
}

test('a scripted session is recorded in full and in order, without a secret', async () => {
  const session = await open({ record: true, recordBodies: true, recordPictures: 4 });
  await visitWithPlaywright(await chromium.connectOverCDP(session.url));
  await running.host.close(session.sessionId);
  await sink.ended(session.sessionId);
  const events = sink.events(session.sessionId);
  expectRecorded(events);
  expect(answeredShare(events)).toBeGreaterThan(0.9);

  const chunks = sink.of(session.sessionId);
  expect(chunks.map(({ index }) => index)).toEqual(chunks.map((_, index) => index));
  expect(chunks.map(({ isLast }) => isLast)).toEqual(chunks.map((_, index) => index === chunks.length - 1));

  const pictures = events.filter((event) => event.kind === 'picture');
  expect(pictures.length).toBeGreaterThan(1);
  for (const { chunk, picture, width, height } of pictures) {
    const jpeg = chunks[chunk]?.pictures[picture];
    expect(jpeg?.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
    expect(Math.max(width, height)).toBeLessThanOrEqual(1024);
  }
  // The third tab may crash before the quarter of a second is over that is between two pictures.
  const tabs = [...new Set(pictures.map(({ tab }) => tab))];
  expect([tabs, [...tabs, 3]]).toContainEqual([1, 2, 3]);

  const bodies = events.filter((event) => event.kind === 'body');
  expect(bodies).toContainEqual(
    expect.objectContaining({ of: 'request', text: expect.stringContaining('user=joe&password=•••') }),
  );
  expect(bodies).toContainEqual(
    expect.objectContaining({ of: 'response', text: '{"ok":true,"access_token":"•••"}' }),
  );

  const text = sink.text(session.sessionId);
  for (const [name, secret] of Object.entries({
    ...planted,
    cdpId: session.cdpId,
    viewer: session.viewerToken,
  })) {
    expect(text.includes(secret), name).toBe(false);
  }
});

test('a session with stealth is recorded without its console, and a host that stops stores the end', async () => {
  await using other = await startTestHost({}, undefined, sink);
  const request = newRequest(world.upstream);
  const params = { ...request.params, record: true, stealth: true, recordPictures: 0 };
  const session = await other.open({ ...request, params });
  const browser = await chromium.connectOverCDP(session.url);
  const [page] = browser.contexts()[0]?.pages() ?? [];
  await page?.goto('http://shop.test/');
  await page?.evaluate('console.log("hello")');
  await other.host.shutdown();
  const events = sink.events(session.sessionId);
  expect(events[0]).toMatchObject({ kind: 'start', stealth: true, bodies: false, picturesPerSecond: 0 });
  expect(events.at(-1)).toMatchObject({ kind: 'end', reason: 'host_stopped' });
  expect(events).toContainEqual(expect.objectContaining({ kind: 'request', url: 'http://shop.test/' }));
  expect(events).toContainEqual(expect.objectContaining({ kind: 'command', method: 'Runtime.evaluate' }));
  const left = ['console', 'exception', 'picture', 'body'];
  expect(events.filter(({ kind }) => left.includes(kind))).toEqual([]);
});

test('a person at the live view is recorded, but not what is typed', async () => {
  const { sessionId, viewerToken } = await open({ record: true, headless: false, vnc: true });
  const person = await RfbClient.connect(`${running.host.publicUrl}/vnc/${viewerToken}/socket`);
  person.send(click(600, 600), keyPress(0x71), keyPress(0x78));
  await person.settled();
  person.socket.close();
  await person.closed;
  await running.host.close(sessionId);
  await sink.ended(sessionId);
  const acted = sink.events(sessionId).filter(({ kind }) => kind === 'person');
  expect(acted).toEqual([
    { t: expect.any(Number), kind: 'person', action: 'pointer' },
    { t: expect.any(Number), kind: 'person', action: 'keys' },
  ]);
});

test('pictures follow the tab that is driven, also when a second client connects', async () => {
  const session = await open({ record: true, recordPictures: 4 });
  const first = await chromium.connectOverCDP(session.url);
  const driven = first.contexts()[0]?.pages()[0];
  if (!driven) throw new Error('The session has no page');
  await driven.goto('http://shop.test/');
  await first.contexts()[0]?.newPage();
  const second = await chromium.connectOverCDP(session.url);
  expect(second.contexts()[0]?.pages()).toHaveLength(2);
  const pictures = () =>
    sink.events(session.sessionId).filter(({ kind, tab }) => kind === 'picture' && tab === 1).length;
  // Whatever is drawn from now on is in a picture of this tab.
  for (const text of ['red', 'green', 'blue']) {
    const before = pictures();
    await driven.locator('h1').click();
    await driven.evaluate(`document.body.style.background = '${text}'`);
    await expect.poll(pictures, { timeout: 20_000 }).toBeGreaterThan(before);
  }
  const shown = sink.events(session.sessionId).filter(({ kind }) => kind === 'tab.shown');
  expect(shown.map(({ tab }) => tab)).toEqual([1, 2, 1]);
  await second.close();
  await first.close();
  await running.host.close(session.sessionId);
});

test('a session that is not to be recorded is not, and without a place for recordings none is opened', async () => {
  const session = await open({});
  const browser = await chromium.connectOverCDP(session.url);
  await browser.contexts()[0]?.pages()[0]?.goto('http://shop.test/');
  await browser.close();
  await running.host.close(session.sessionId);
  expect(sink.of(session.sessionId)).toEqual([]);
  await using bare = await startTestHost();
  const request = newRequest(world.upstream);
  await expect(bare.open({ ...request, params: { ...request.params, record: true } })).rejects.toThrow(
    'nowhere to send recordings',
  );
});
