import { chromium, type Dialog } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach } from '../fixtures/suite/matrix.ts';
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
  browsers = all.use(await startBothBrowsers());
  site = all.use(await startSite({ '/': '<!doctype html>' }));
});
afterAll(() => all.disposeAsync());

const opensAndAlerts = `void setTimeout(() => { window.open('').alert('at once'); globalThis.isThrough = true; })`;
const isThrough = 'globalThis.isThrough === true';

describeEach<'direct' | 'session'>({ quick: ['session'], slow: ['direct'] })('with a %s browser', (kind) => {
  test('Playwright hears of a popup that alerts at once, and of its dialog', async () => {
    const browser = await chromium.connectOverCDP(browsers[kind]);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(site.origin);
    const popup = context.waitForEvent('page');
    const dialog = new Promise<Dialog>((resolve) => context.once('dialog', resolve));
    await page.evaluate(opensAndAlerts);
    expect((await dialog).message()).toBe('at once');
    await (await dialog).accept();
    expect((await popup).url()).toBe('about:blank');
    await page.waitForFunction(isThrough, undefined, { polling: 20 });
    await context.close();
    await browser.close();
  });

  test('a popup that a client found stopped runs when the client says so', async () => {
    using client = await BareClient.connect(browsers[kind]);
    const { targetId, page } = await client.openPage(site.origin);
    await client.send('Target.setAutoAttach', stopped);
    void client.evaluate(`void (globalThis.popup = window.open(''))`, page);
    const popup = await client.event(
      ({ method, params }) => method === 'Target.attachedToTarget' && params.targetInfo.openerId === targetId,
    );
    expect(popup.waitingForDebugger).toBe(true);
    // Time enough for anyone else to let it run.
    for (let i = 0; i < 50; i++) await client.send('Target.getTargets');
    await client.send('Page.enable', {}, popup.sessionId);
    const source = 'globalThis.early = "early"';
    void client.send(
      'Page.addScriptToEvaluateOnNewDocument',
      { source, runImmediately: true },
      popup.sessionId,
    );
    await client.send('Runtime.runIfWaitingForDebugger', {}, popup.sessionId);
    expect(await client.evaluate('popup.early', page)).toBe('early');
    await client.send('Target.closeTarget', { targetId });
    await client.send('Target.closeTarget', { targetId: popup.targetInfo.targetId });
  });
});
