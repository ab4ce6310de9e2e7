import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
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

const all = new AsyncDisposableStack();
let browsers: BothBrowsers;
let site: Site;

beforeAll(async () => {
  browsers = all.use(await startBothBrowsers({ os: 'windows' }));
  site = all.use(await startSite({ '/': '<!doctype html>' }));
});
afterAll(() => all.disposeAsync());

const opensAndAlerts = `void setTimeout(() => window.open('').alert('at once'))`;
const claims = '[navigator.platform, navigator.userAgent, navigator.userAgentData?.platform].join()';
const mine = {
  userAgent: 'Mine/1.0',
  platform: 'MyPlatform',
  userAgentMetadata: {
    platform: 'MySystem',
    platformVersion: '1',
    architecture: 'x86',
    model: '',
    mobile: false,
  },
};

describe.each(['direct', 'session'] as const)('with a %s browser', (kind) => {
  test("a client's command to run a popup is answered before the popup alerts", async () => {
    using client = await BareClient.connect(browsers[kind]);
    const { targetId, page } = await client.openPage(site.origin);
    await client.send('Target.setAutoAttach', stopped);
    void client.evaluate(opensAndAlerts, page);
    const popup = await client.event(
      ({ method, params }) => method === 'Target.attachedToTarget' && params.targetInfo.openerId === targetId,
    );
    await client.send('Page.enable', {}, popup.sessionId);
    const run = client.send('Runtime.runIfWaitingForDebugger', {}, popup.sessionId);
    await client.event(({ method }) => method === 'Page.javascriptDialogOpening');
    await run;
    const ofPopup = client.received.filter(({ sessionId }) => sessionId === popup.sessionId);
    const dialogAt = ofPopup.findIndex(({ method }) => method === 'Page.javascriptDialogOpening');
    expect(ofPopup.slice(0, dialogAt).filter(({ id }) => id !== undefined)).toHaveLength(2);
    await client.send('Page.handleJavaScriptDialog', { accept: true }, popup.sessionId);
    for (const closed of [targetId, popup.targetInfo.targetId]) {
      await client.send('Target.closeTarget', { targetId: closed });
    }
  });

  test('Playwright hears of a popup before it hears of its dialog', async () => {
    const browser = await chromium.connectOverCDP(browsers[kind]);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(site.origin);
    const heard: string[] = [];
    const popup = context.waitForEvent('page');
    context.on('page', () => heard.push('page'));
    const dialog = new Promise<void>((resolve) => {
      context.once('dialog', (opened) => {
        heard.push('dialog');
        void opened.accept().then(resolve);
      });
    });
    await page.evaluate(opensAndAlerts);
    await Promise.all([dialog, popup]);
    expect(heard).toEqual(['page', 'dialog']);
    await context.close();
    await browser.close();
  });

  test("a client's own platform is what pages see, until the client has gone", async () => {
    const browser = await puppeteer.connect({ browserWSEndpoint: browsers[kind], defaultViewport: null });
    const page = await browser.newPage();
    await page.goto(site.origin);
    const before = await page.evaluate(claims);
    const cdp = await page.createCDPSession();
    await cdp.send('Emulation.setUserAgentOverride', mine);
    await page.reload();
    expect(await page.evaluate(claims)).toBe('MyPlatform,Mine/1.0,MySystem');
    await cdp.detach();
    await page.reload();
    await expect.poll(() => page.evaluate(claims)).toBe(before);
    await page.setUserAgent(mine);
    await page.goto(`${site.origin}/?again`);
    expect(await page.evaluate(claims)).toBe('MyPlatform,Mine/1.0,MySystem');
    await page.close();
    await browser.disconnect();
  });
});
