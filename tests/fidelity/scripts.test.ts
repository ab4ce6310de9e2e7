import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

const page = `<!doctype html><script>
function used() { return navigator.platform + navigator.deviceMemory; }
function unused() {}
used();
eval('used()');
const gl = document.createElement('canvas').getContext('webgl');
gl?.getParameter(gl.getExtension('WEBGL_debug_renderer_info').UNMASKED_VENDOR_WEBGL);
</script><script src="/more.js"></script>
<iframe src="/frame.html"></iframe>`;
const worker = `new Promise((resolve) => { new Worker('/worker.js').onmessage = resolve; }).then(() => {})`;

const all = new AsyncDisposableStack();
let browsers: BothBrowsers;
let site: Site;

beforeAll(async () => {
  browsers = all.use(await startBothBrowsers({ os: 'macos' }));
  site = all.use(
    await startSite({
      '/': page,
      '/more.js': 'const more = Function.prototype.toString.call(used)',
      '/frame.html': '<!doctype html><script>parent.used()</script>',
      '/worker.js': 'postMessage(navigator.platform)',
    }),
  );
});
afterAll(() => all.disposeAsync());

interface Covered {
  url: string;
  text?: string;
  source?: string | undefined;
}

/** What Puppeteer calls a script that has no address counts all scripts of the process. */
const seen = (entries: readonly Covered[]) =>
  entries.map(({ url, text, source }) => [url.replace(/^debugger:.*/, ''), text ?? source]).sort();

const clients: Record<string, (url: string) => Promise<unknown>> = {
  async Playwright(url) {
    const browser = await chromium.connectOverCDP(url);
    const context = await browser.newContext();
    const opened = await context.newPage();
    await opened.coverage.startJSCoverage({ reportAnonymousScripts: true, resetOnNavigation: false });
    await opened.goto(site.origin);
    await opened.evaluate('gl?.getParameter(1)');
    const covered = seen(await opened.coverage.stopJSCoverage());
    await context.close();
    await browser.close();
    return covered;
  },
  async Puppeteer(url) {
    const browser = await puppeteer.connect({ browserWSEndpoint: url, defaultViewport: null });
    const context = await browser.createBrowserContext();
    const opened = await context.newPage();
    await opened.coverage.startJSCoverage({ reportAnonymousScripts: true, resetOnNavigation: false });
    await opened.goto(site.origin);
    const covered = seen(await opened.coverage.stopJSCoverage());
    await context.close();
    await browser.disconnect();
    return covered;
  },
  /** With a profiler and no debugger, then with a debugger for what is there already, in the page and its worker. */
  async 'a bare client'(url) {
    using client = await BareClient.connect(url);
    const { targetId } = await client.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await client.send('Target.attachToTarget', { targetId, flatten: true });
    await client.send('Target.setAutoAttach', stopped, sessionId);
    await client.send('Profiler.enable', {}, sessionId);
    await client.send('Profiler.startPreciseCoverage', { callCount: true, detailed: true }, sessionId);
    await client.send('Page.enable', {}, sessionId);
    await client.send('Page.navigate', { url: site.origin }, sessionId);
    await client.event(({ method }) => method === 'Page.loadEventFired');
    const names = async () => {
      const { result } = await client.send('Profiler.takePreciseCoverage', {}, sessionId);
      return result.map((script: any) => [script.url, script.functions.map((one: any) => one.functionName)]);
    };
    const first = await names();
    await client.evaluate('used()', sessionId);
    const second = await names();
    const answered = client.evaluate(worker, sessionId);
    const { sessionId: inWorker } = await client.attached('worker');
    await client.send('Runtime.runIfWaitingForDebugger', {}, inWorker);
    await answered;
    await client.send('Debugger.enable', {}, sessionId);
    await client.send('Debugger.enable', {}, inWorker);
    const parsed = client.events
      .filter(({ method }) => method === 'Debugger.scriptParsed')
      .map(({ params, sessionId: of }) => [params.url, params.length, of === inWorker]);
    await client.send('Target.closeTarget', { targetId });
    return { first, second, parsed };
  },
};

test.each(Object.entries(clients))(
  '%s sees the page’s scripts and no other, as in a direct browser',
  async (_name, look) => {
    const direct = await look(browsers.direct);
    expect(await look(browsers.session)).toEqual(direct);
    expect(JSON.stringify(direct)).toContain('more.js');
  },
);
