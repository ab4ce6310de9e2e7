// @module-tag slow

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { type BrowserContext, chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { type BothBrowsers, type Site, startBothBrowsers, startSite } from './both-browsers.ts';

watchLeaks({ wholeFile: true });

/** The host's last override is a script, which sets the platform. */
const script = `const first = navigator.platform;
  oninstall = () => skipWaiting();
  onactivate = (event) => event.waitUntil(clients.claim());
  onmessage = ({ source }) => source.postMessage(first);`;

/** Registers service workers, one after the other, and returns what the first statement of each saw. */
const registerAll = (round: number, count: number) => `(async () => {
  const seen = [];
  for (let i = 0; i < ${count}; i++) {
    const scope = '/' + ${round} + '-' + i;
    const registration = await navigator.serviceWorker.register('/sw.js?' + scope, { scope });
    const worker = registration.installing ?? registration.waiting ?? registration.active;
    if (worker.state !== 'activated') {
      await new Promise((resolve) => { worker.onstatechange = () => worker.state === 'activated' && resolve(); });
    }
    seen.push(await new Promise((resolve) => {
      navigator.serviceWorker.onmessage = ({ data }) => resolve(data);
      navigator.serviceWorker.startMessages();
      worker.postMessage('');
    }));
    await registration.unregister();
  }
  return seen;
})()`;

const rounds = 10;
const workers = 10;

const all = new AsyncDisposableStack();
let site: Site;
let browsers: BothBrowsers;

beforeAll(async () => {
  site = all.use(await startSite({ '/': '<!doctype html>', '/sw.js': script }));
  browsers = all.use(await startBothBrowsers({ os: 'macos', browser_language: 'en-US,en' }));
  for (let i = 0; i < 2 * availableParallelism(); i++) all.use(busyProcess());
});
afterAll(() => all.disposeAsync());

/** Ends by itself in any case. */
function busyProcess(): AsyncDisposable {
  const source = 'const end = Date.now() + 300_000; while (Date.now() < end);';
  const child: ChildProcess = spawn(process.execPath, ['-e', source]);
  return {
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** Both clients resume a service worker that a page announced, and detach from it. */
test('on a busy machine the first statement of a service worker sees the device, under Puppeteer', async () => {
  const browser = await puppeteer.connect({ browserWSEndpoint: browsers.session, defaultViewport: null });
  const seen: unknown[] = [];
  for (let round = 0; round < rounds; round++) {
    const page = await browser.newPage();
    await page.goto(site.origin);
    seen.push(...((await page.evaluate(registerAll(round, workers))) as string[]));
    await page.close();
  }
  await browser.disconnect();
  expect(seen).toEqual(Array(rounds * workers).fill('MacIntel'));
});

test('on a busy machine the first statement of a service worker sees the device, under Playwright', async () => {
  const browser = await chromium.connectOverCDP(browsers.session);
  const context = browser.contexts()[0] as BrowserContext;
  const seen: unknown[] = [];
  for (let round = 0; round < rounds; round++) {
    const page = await context.newPage();
    await page.goto(site.origin);
    seen.push(...((await page.evaluate(registerAll(rounds + round, workers))) as string[]));
    await page.close();
  }
  await browser.close();
  expect(seen).toEqual(Array(rounds * workers).fill('MacIntel'));
});
