import { once } from 'node:events';
import type { ClientTimes, UpstreamProxy } from '@turnpike/contract/host';
import { chromium, type Page } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type BadProxies, startBadProxies } from '../../../tests/fixtures/network/bad-proxies.ts';
import { type Squid, startSquid } from '../../../tests/fixtures/network/squid.ts';
import { startWebServer, type WebServer } from '../../../tests/fixtures/network/web-server.ts';
import { descendsFrom, processTable } from '../../../tests/fixtures/process/process-table.ts';
import { watchLeaks } from '../../../tests/fixtures/suite/leaks.ts';
import { describeEach, testEach } from '../../../tests/fixtures/suite/matrix.ts';
import { newRequest, startTestHost } from './testing/test-host.ts';

watchLeaks();

const credentials = { username: 'ann', password: 'p@ss:w/rd' };
const all = new AsyncDisposableStack();
let web: WebServer;
let squid: Squid;
let bad: BadProxies;

beforeAll(async () => {
  web = all.use(await startWebServer());
  squid = all.use(await startSquid(credentials));
  bad = all.use(await startBadProxies());
});
afterAll(() => all.disposeAsync());

function proxy(more: Partial<UpstreamProxy> = {}): UpstreamProxy {
  const { port } = squid;
  return { scheme: 'http', host: '127.0.0.1', port, addresses: ['127.0.0.1'], ...credentials, ...more };
}

/** Host processes of everything that this test file runs in sandboxes; a shell of the host's own is none. */
function sandboxed(): string[] {
  const table = processTable();
  return [...table.values()]
    .filter(({ pid, name }) => /bwrap|chrom|Xtiger|sh$/.test(name) && descendsFrom(table, pid, process.pid))
    .filter(({ name, parent }) => name !== 'sh' || parent !== process.pid)
    .map(({ pid, name }) => `${pid} ${name}`);
}

function chromiumPid(): number {
  const own = sandboxed().find((line) => line.endsWith(' chromium'));
  return Number.parseInt(own ?? '', 10);
}

/** The page of the default context that is at an address; leaving it leaves the browser as it is. */
async function pageAt(address: string, url: string): Promise<Page & AsyncDisposable> {
  const browser = await chromium.connectOverCDP(url);
  const page = browser
    .contexts()[0]
    ?.pages()
    .find((candidate) => candidate.url() === address);
  if (!page) throw new Error(`no page at ${address}`);
  return Object.assign(page, { [Symbol.asyncDispose]: () => browser.close() });
}

describeEach<[string, boolean]>({ quick: [['headless', true]], slow: [['headful', false]] })(
  'a %s browser',
  (_name, headless) => {
    it('is driven by Playwright and Puppeteer at once, left, found again, and closed', async () => {
      await using running = await startTestHost();
      const session = await running.open(newRequest(proxy(), { headless }));
      const clients = () => running.host.list()[0] as ClientTimes;
      expect(clients()).not.toHaveProperty('connectedAgoMs');
      const remote = await puppeteer.connect({ browserWSEndpoint: session.url, defaultViewport: null });
      const browser = await chromium.connectOverCDP(session.url);
      const page = browser.contexts()[0]?.pages()[0] as Page;
      await page.goto(`${web.origin}/`);
      expect(await page.title()).toBe('Turnpike test page');
      await page.evaluate("globalThis.kept = 'state'");
      expect(await page.evaluate('navigator.webdriver')).toBe(false);
      // No bar below the address, which warns of a flag or of automation.
      expect(await page.evaluate('outerHeight - innerHeight')).toBeLessThan(100);

      const puppetPage = await remote.newPage();
      await puppetPage.goto(`${web.origin}/echo`);
      expect(await puppetPage.evaluate('document.body.innerText')).toContain('/echo');
      const context = await browser.newContext();
      const [popup] = await Promise.all([
        context.waitForEvent('page'),
        context.newPage().then((opener) => opener.evaluate("void window.open('about:blank')")),
      ]);
      expect(popup.url()).toBe('about:blank');
      await page.bringToFront(); // Chromium may never draw a tab that is behind another.
      expect((await page.screenshot()).length).toBeGreaterThan(1000);

      await browser.close();
      expect(await puppetPage.title()).toBe('');
      expect(clients()).not.toHaveProperty('disconnectedAgoMs');
      await remote.disconnect();
      await expect.poll(clients).toHaveProperty('disconnectedAgoMs');
      expect(clients().connectedAgoMs).toBeGreaterThan(clients().disconnectedAgoMs ?? 0);
      await using again = await pageAt(`${web.origin}/`, session.url);
      expect(await again.evaluate('globalThis.kept')).toBe('state');
      expect(clients()).toMatchObject({ sessionId: session.sessionId, connectedAgoMs: expect.any(Number) });
      expect(clients()).not.toHaveProperty('disconnectedAgoMs');

      expect(await running.host.close(session.sessionId)).toMatchObject({ cause: 'closed' });
      await expect.poll(sandboxed).toEqual([]);
      await expect.poll(() => running.host.close(session.sessionId)).toBeUndefined();
      expect(running.ended).toMatchObject([
        { sessionId: session.sessionId, cause: 'closed', connectedAgoMs: expect.any(Number) },
      ]);
      expect(running.ended[0]?.bytesDown).toBeGreaterThan(500);
      expect(running.logs.join('')).not.toMatch(new RegExp(`${session.cdpId}|p@ss`));
    });

    it('sees no file of the host and has no way out but the proxy', async () => {
      await using running = await startTestHost();
      const session = await running.open(newRequest(proxy(), { headless }));
      await using page = await pageAt('about:blank', session.url);
      for (const path of ['/etc/passwd', '/root', '/home/user/../../etc/shadow', '/proc/1/root/etc/passwd']) {
        await expect(page.goto(`file://${path}`)).rejects.toThrow(
          /ERR_FILE_NOT_FOUND|ERR_ACCESS_DENIED|INVALID/,
        );
      }
      // A context cannot ask for no proxy.
      const browser = page.context().browser();
      await expect(browser?.newContext({ proxy: { server: 'direct://' } })).rejects.toThrow(
        'Target.createBrowserContext',
      );
      const direct = await (await browser?.newContext())?.newPage();
      const address = `${web.origin}/echo/${session.sessionId}`;
      await direct?.goto(address);
      const proxied = async () => (await squid.accessLog()).map(({ target }) => target);
      await expect.poll(proxied).toContain(address);
      expect(web.requests.filter(({ path }) => address.endsWith(path))).toHaveLength(1);
      await page.goto('chrome://version');
      expect(await page.evaluate('document.body.innerText')).not.toMatch(
        new RegExp(`ann|p@ss|${squid.port}`),
      );
    });
  },
);

describe('the end of a session', () => {
  async function connected(url: string): Promise<Promise<readonly [number, string]>[]> {
    const sockets = [new WebSocket(url), new WebSocket(url)];
    await Promise.all(sockets.map((socket) => once(socket, 'open')));
    return sockets.map(async (socket) => {
      const [code, reason] = await once(socket, 'close');
      return [Number(code), String(reason)] as const;
    });
  }

  it('asked for: 4000 CLOSED, and two at once are one', async () => {
    await using running = await startTestHost();
    const session = await running.open(newRequest(proxy()));
    const sockets = await connected(session.url);
    const closed = await Promise.all([
      running.host.close(session.sessionId),
      running.host.close(session.sessionId),
    ]);
    expect(closed).toMatchObject([{ cause: 'closed' }, { cause: 'closed' }]);
    expect(await Promise.all(sockets)).toEqual([
      [4000, 'CLOSED'],
      [4000, 'CLOSED'],
    ]);
    expect(running.ended).toHaveLength(1);
  });

  it('by its lifetime: 4001 EXPIRED', async () => {
    await using running = await startTestHost();
    const session = await running.open(newRequest(proxy(), { lifetimeMs: 5000 }));
    const sockets = await connected(session.url);
    expect(await Promise.all(sockets)).toEqual([
      [4001, 'EXPIRED'],
      [4001, 'EXPIRED'],
    ]);
    await expect.poll(() => running.ended).toMatchObject([{ cause: 'expired' }]);
    await expect.poll(() => running.host.close(session.sessionId)).toBeUndefined();
  });

  it('is listed until its end has been told', async () => {
    await using running = await startTestHost();
    const { sessionId } = await running.open(newRequest(proxy()));
    const known = () => [running.host.list().length, running.ended.length];
    expect(known()).toEqual([1, 0]);
    const closed = running.host.close(sessionId);
    expect([
      [1, 0],
      [0, 1],
    ]).toContainEqual(known());
    await closed;
    expect(known()).toEqual([0, 1]);
  });

  it('by a killed browser: 4002 DEAD', async () => {
    await using running = await startTestHost();
    const session = await running.open(newRequest(proxy(), { headless: false }));
    const sockets = await connected(session.url);
    process.kill(chromiumPid(), 'SIGKILL');
    expect(await Promise.all(sockets)).toEqual([
      [4002, 'DEAD'],
      [4002, 'DEAD'],
    ]);
    await expect.poll(() => running.ended).toMatchObject([{ cause: 'gone' }]);
    expect(sandboxed()).toEqual([]);
    expect(await running.host.list()).toEqual([]);
  });

  it('by Browser.close: the answer, then 4002 DEAD', async () => {
    await using running = await startTestHost();
    const session = await running.open(newRequest(proxy()));
    const socket = new WebSocket(session.url);
    await once(socket, 'open');
    const closed = once(socket, 'close');
    socket.send('{"id":1,"method":"Browser.close"}');
    expect(String((await once(socket, 'message'))[0])).toBe('{"id":1,"result":{}}');
    expect((await closed)[0]).toBe(4002);
    await expect.poll(() => running.ended).toMatchObject([{ cause: 'gone' }]);
  });
});

describe('an open that fails', () => {
  testEach<[string, () => Partial<UpstreamProxy>]>({
    quick: [
      ['refuses', () => ({ port: bad.refuses })],
      ['is silent', () => ({ port: bad.silent })],
    ],
    slow: [
      ['answers rubbish', () => ({ port: bad.rubbish })],
      ['does not take the password', () => ({ password: 'wrong' })],
      ['has no address', () => ({ addresses: [] })],
    ],
  })('because the proxy %s leaves nothing', async (_what, change) => {
    await using running = await startTestHost({ seats: 1, proxyTimeoutMs: 4000 });
    const opened = running.open(newRequest(proxy(change())));
    await expect(opened).rejects.toMatchObject({ name: 'HostError', code: 'PROXY_UNREACHABLE' });
    expect(sandboxed()).toEqual([]);
    expect(running.ended).toEqual([]);
    await running.open(newRequest(proxy()));
  });

  testEach({ quick: [5, 100], slow: [0, 30, 200] })('by an abort after %i ms leaves nothing', async (ms) => {
    await using running = await startTestHost({ seats: 1 });
    const opened = running.open(newRequest(proxy(), { headless: false }), AbortSignal.timeout(ms));
    await expect(opened).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(sandboxed()).toEqual([]);
    expect(await running.host.list()).toEqual([]);
  });

  it('because it is closed while it opens leaves nothing', async () => {
    await using running = await startTestHost();
    const request = newRequest(proxy());
    const opened = running.open(request);
    opened.catch(() => {});
    expect(await running.host.close(request.sessionId)).toBeUndefined();
    await expect(opened).rejects.toMatchObject({ code: 'START_FAILED' });
    expect(sandboxed()).toEqual([]);
  });

  it('because the browser is none says so', async () => {
    await using running = await startTestHost({ chromium: '/usr/bin/false' });
    await expect(running.open(newRequest(proxy()))).rejects.toMatchObject({ code: 'START_FAILED' });
  });

  it('because every seat is taken is NO_SEAT at once', async () => {
    await using running = await startTestHost({ seats: 1 });
    const first = running.open(newRequest(proxy()));
    await expect(running.open(newRequest(proxy()))).rejects.toMatchObject({ code: 'NO_SEAT' });
    await running.host.close((await first).sessionId);
    await running.open(newRequest(proxy()));
  });
});
