// @module-tag slow

import type { BrowserParams } from '@turnpike/contract/create-parameters';
import { MemorySink } from '@turnpike/host/testing/memory-sink';
import { newRequest, startTestHost } from '@turnpike/host/testing/test-host';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { createSwitchboard } from '../../apps/host/src/switchboard/create-switchboard.ts';
import { PlainSwitchboard } from '../../apps/host/src/switchboard/plain-switchboard.ts';
import { startWorldProxy, type WorldProxy } from '../fixtures/network/world-proxy.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import {
  answeredShare,
  expectRecorded,
  planted,
  respond,
  visitWithPlaywright,
  visitWithPuppeteer,
} from './recorded-shop.ts';

watchLeaks({ wholeFile: true });

const all = new AsyncDisposableStack();
const sink = new MemorySink();
let world: WorldProxy;

beforeAll(async () => {
  world = all.use(await startWorldProxy(respond));
});
afterAll(() => all.disposeAsync());

const newPlain: typeof createSwitchboard = (observer) => new PlainSwitchboard(observer);

const scripts: Readonly<Record<string, (url: string, sessionId: string) => Promise<void>>> = {
  Playwright: async (url) => visitWithPlaywright(await chromium.connectOverCDP(url)),
  async Puppeteer(url, sessionId) {
    // Without it Chromium waits for somebody to accept a file that comes over plain HTTP.
    const downloadBehavior = { policy: 'allow', downloadPath: '/home/user/files' } as const;
    const browser = await puppeteer.connect({
      browserWSEndpoint: url,
      defaultViewport: null,
      downloadBehavior,
    });
    const isDownloaded = () => sink.events(sessionId).some(({ kind }) => kind === 'download.done');
    await visitWithPuppeteer(browser, () => expect.poll(isDownloaded, { timeout: 20_000 }).toBe(true));
    await browser.disconnect();
  },
};

describe.each([true, false])('headless: %s', (headless) => {
  for (const [name, visit] of Object.entries(scripts)) {
    for (const isPlain of [false, true]) {
      test(`${name} is recorded in full and in order${isPlain ? ', on Node’s streams too' : ''}`, async () => {
        await using running = await startTestHost({}, isPlain ? newPlain : undefined, sink);
        const { proxyUser: username, proxyPassword: password } = planted;
        const request = newRequest({ ...world.upstream, username, password }, { headless });
        const params: BrowserParams = { ...request.params, record: true, recordBodies: true };
        const session = await running.open({ ...request, params });
        await visit(session.url, session.sessionId);
        await running.host.close(session.sessionId);
        await sink.ended(session.sessionId);
        const events = sink.events(session.sessionId);
        expectRecorded(events);
        expect(answeredShare(events)).toBeGreaterThan(0.9);
        expect(events.some(({ kind }) => kind === 'picture')).toBe(true);
        const text = sink.text(session.sessionId);
        for (const [what, secret] of Object.entries(planted)) expect(text.includes(secret), what).toBe(false);
      });
    }
  }
});

test('times are those of the page, within 50 ms', async () => {
  await using running = await startTestHost({}, undefined, sink);
  const request = newRequest(world.upstream);
  const session = await running.open({ ...request, params: { ...request.params, record: true } });
  const browser = await chromium.connectOverCDP(session.url);
  const [page] = browser.contexts()[0]?.pages() ?? [];
  await page?.goto('http://shop.test/');
  for (let i = 0; i < 40; i++) await page?.evaluate('console.log("now " + Date.now())');
  await browser.close();
  await running.host.close(session.sessionId);
  await sink.ended(session.sessionId);
  const delays = sink.events(session.sessionId).flatMap((event) => {
    const [, at] = (event.kind === 'console' && /^now (\d+)$/.exec(event.text)) || [];
    return at === undefined ? [] : [event.t - Number(at)];
  });
  expect(delays).toHaveLength(40);
  const [first = 0, middle = 0] = [delays.toSorted((a, b) => a - b)[0], delays.toSorted((a, b) => a - b)[20]];
  // The fastest is taken for the difference of the clocks. The middle one is what a busy machine makes of it.
  expect(middle - first).toBeLessThan(50);
});
