// @module-tag slow

import { chromium } from 'playwright-core';
import puppeteer, { type Browser, type Page, type Target } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import {
  BareClient,
  type BothBrowsers,
  type Site,
  startBothBrowsers,
  startSite,
  stopped,
} from './both-browsers.ts';

watchLeaks({ wholeFile: true });

const script = (says: string) => `const first = navigator.hardwareConcurrency;
  oninstall = () => skipWaiting();
  onactivate = (event) => event.waitUntil(clients.claim());
  onmessage = ({ source }) => source.postMessage({ says: '${says}', first });`;

const all = new AsyncDisposableStack();
let site: Site;
/** In several languages, where the host has a hand in the request for a service worker's script. */
let browsers: BothBrowsers;

beforeAll(async () => {
  site = all.use(
    await startSite({ '/': '<!doctype html>', '/sw.js': script('own'), '/w.js': 'postMessage(self.early)' }),
  );
  browsers = all.use(await startBothBrowsers({ os: 'macos', browser_language: 'de-DE,fr,en' }));
});
afterAll(() => all.disposeAsync());

/** Registers the service worker for a scope of its own and asks it what it is. */
const ask = (scope: string) => `(async () => {
  const registration = await navigator.serviceWorker.register('/sw.js', { scope: '/${scope}' });
  const worker = registration.active ?? registration.waiting ?? registration.installing;
  if (worker.state !== 'activated') {
    await new Promise((resolve) => { worker.onstatechange = () => worker.state === 'activated' && resolve(); });
  }
  return new Promise((resolve) => {
    navigator.serviceWorker.onmessage = ({ data }) => resolve(data);
    navigator.serviceWorker.startMessages();
    worker.postMessage('');
  });
})()`;

const isStoppedServiceWorker = ({ method, params }: BareClient['events'][number]): boolean =>
  method === 'Target.attachedToTarget' &&
  params.targetInfo.type === 'service_worker' &&
  params.waitingForDebugger;

describe.each(['direct', 'session'] as const)('with a %s browser', (kind) => {
  test('Puppeteer closes a service worker that runs', async () => {
    await using undo = new AsyncDisposableStack();
    const browser = undo.adopt(await puppeteer.connect({ browserWSEndpoint: browsers[kind] }), (one) =>
      one.disconnect(),
    );
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.goto(site.origin);
    for (const round of [1, 2, 3, 4]) {
      const isWorker = (target: Target) => target.type() === 'service_worker';
      const created = browser.waitForTarget(isWorker);
      await page.evaluate(ask(`closed-${round}`));
      const worker = await (await created).worker();
      await worker?.close();
      await page.evaluate(
        'navigator.serviceWorker.getRegistrations().then((all) => Promise.all(all.map((one) => one.unregister())))',
      );
      await expect.poll(() => context.targets().filter(isWorker)).toEqual([]);
    }
    await context.close();
  });

  test("Playwright's context.route answers for a service worker's main script, each time", async () => {
    const browser = await chromium.connectOverCDP(browsers[kind]);
    const context = await browser.newContext();
    await context.route('**/sw.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: script('routed') }),
    );
    const page = await context.newPage();
    await page.goto(site.origin);
    for (let i = 0; i < 10; i++) {
      expect(await page.evaluate(ask(`routed-${i}`))).toMatchObject({ says: 'routed' });
    }
    await context.close();
    await browser.close();
  });

  describe('for Puppeteer', () => {
    let browser: Browser;
    let page: Page;
    const isWorker = (target: Target) => target.type() === 'service_worker';
    const destroyed = (worker: Target) =>
      new Promise<void>((resolve) => {
        const heard = (target: Target) => {
          if (target !== worker) return;
          browser.off('targetdestroyed', heard);
          resolve();
        };
        browser.on('targetdestroyed', heard);
      });

    beforeAll(async () => {
      browser = await puppeteer.connect({ browserWSEndpoint: browsers[kind], defaultViewport: null });
      page = await browser.newPage();
      await page.goto(site.origin);
    });
    afterAll(async () => {
      await page.close();
      await browser.disconnect();
    });

    test('a service worker that is unregistered is reported destroyed', async () => {
      const [worker] = await Promise.all([browser.waitForTarget(isWorker), page.evaluate(ask('gone'))]);
      const gone = destroyed(worker);
      await page.evaluate(
        `navigator.serviceWorker.getRegistration('/gone').then((found) => found.unregister())`,
      );
      await gone;
      expect(browser.targets().some(isWorker)).toBe(false);
    });

    test('a service worker that is closed is reported destroyed, and runs again when it is needed', async () => {
      const [worker, first] = await Promise.all([
        browser.waitForTarget(isWorker),
        page.evaluate(ask('closed')),
      ]);
      const gone = destroyed(worker);
      const cdp = await browser.target().createCDPSession();
      const { targetInfos } = await cdp.send('Target.getTargets');
      const { targetId = '' } = targetInfos.find(({ type }) => type === 'service_worker') ?? {};
      expect(await cdp.send('Target.closeTarget', { targetId })).toEqual({ success: true });
      await gone;
      const [, second] = await Promise.all([browser.waitForTarget(isWorker), page.evaluate(ask('closed'))]);
      expect(second).toEqual(first);
      await cdp.detach();
    });
  });

  test('a service worker that is closed while a client stays attached runs again as before', async () => {
    using client = await BareClient.connect(browsers[kind]);
    const { targetId, page } = await client.openPage(site.origin);
    await client.send('Target.setAutoAttach', stopped);
    const asked = client.evaluate(ask('restarted'), page);
    const { sessionId, targetInfo } = await client.event(isStoppedServiceWorker);
    await client.send('Runtime.runIfWaitingForDebugger', {}, sessionId);
    const first = await asked;
    await client.send('Target.closeTarget', { targetId: targetInfo.targetId });
    await client.event(
      (event) => event.method === 'Inspector.targetCrashed' && event.sessionId === sessionId,
    );
    const second = client.evaluate(ask('restarted'), page);
    await client.event(({ method }) => method === 'Inspector.targetReloadedAfterCrash');
    await client.send('Runtime.runIfWaitingForDebugger', {}, sessionId);
    expect(await second).toEqual(first);
    await client.send('Target.closeTarget', { targetId });
  });

  test('a service worker that a page announced runs for a client that resumes it and stays attached', async () => {
    using client = await BareClient.connect(browsers[kind]);
    const { targetId, page } = await client.openPage(site.origin);
    await client.send('Target.setAutoAttach', stopped, page);
    const asked = client.evaluate(ask('stays'), page);
    const { sessionId: worker } = await client.event(isStoppedServiceWorker);
    await client.send('Runtime.runIfWaitingForDebugger', {}, worker);
    expect(await asked).toMatchObject({ says: 'own' });
    expect(await client.evaluate('first', worker)).toBeGreaterThan(0);
    await client.send('Target.closeTarget', { targetId });
  });

  test('a worker that a client found stopped runs when the client says so', async () => {
    using client = await BareClient.connect(browsers[kind]);
    const { targetId, page } = await client.openPage(site.origin);
    await client.send('Target.setAutoAttach', stopped, page);
    const answered = client.evaluate(
      `new Promise((resolve) => { new Worker('/w.js').onmessage = ({ data }) => resolve(data); })`,
      page,
    );
    const { sessionId: worker, waitingForDebugger } = await client.attached('worker');
    expect(waitingForDebugger).toBe(true);
    // Time enough for anyone else to let it run.
    for (let i = 0; i < 50; i++) await client.send('Runtime.evaluate', { expression: '1' }, page);
    await client.send('Runtime.evaluate', { expression: 'self.early = "early"' }, worker);
    await client.send('Runtime.runIfWaitingForDebugger', {}, worker);
    expect(await answered).toBe('early');
    await client.send('Target.closeTarget', { targetId });
  });

  test('a worker that a client found stopped runs when the client goes', async () => {
    using client = await BareClient.connect(browsers[kind]);
    const { targetId, page } = await client.openPage(site.origin);
    {
      using other = await BareClient.connect(browsers[kind]);
      const { sessionId } = await other.send('Target.attachToTarget', { targetId, flatten: true });
      await other.send('Target.setAutoAttach', stopped, sessionId);
      await client.evaluate(
        `void (globalThis.answered = new Promise((resolve) => { new Worker('/w.js').onmessage = () => resolve(1); }))`,
        page,
      );
      await other.attached('worker');
    }
    expect(await client.evaluate('answered', page)).toBe(1);
    await client.send('Target.closeTarget', { targetId });
  });
});
