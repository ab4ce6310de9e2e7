import { statSync } from 'node:fs';
import type { UpstreamProxy } from '@turnpike/contract/host';
import { chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBadProxies } from '../../../../tests/fixtures/network/bad-proxies.ts';
import { type Squid, startSquid } from '../../../../tests/fixtures/network/squid.ts';
import { startWebServer, type WebServer } from '../../../../tests/fixtures/network/web-server.ts';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { describeEach } from '../../../../tests/fixtures/suite/matrix.ts';
import { browserProcesses } from '../testing/browser-processes.ts';
import { newRequest, type OpenedSession, startTestHost, type TestHost } from '../testing/test-host.ts';

watchLeaks();

const credentials = { username: 'ann', password: 'secret' };
const all = new AsyncDisposableStack();
let web: WebServer;
let squid: Squid;

beforeAll(async () => {
  web = all.use(await startWebServer());
  squid = all.use(await startSquid(credentials));
});
afterAll(() => all.disposeAsync());

function proxy(more: Partial<UpstreamProxy> = {}): UpstreamProxy {
  const { port } = squid;
  return { scheme: 'http', host: '127.0.0.1', port, addresses: ['127.0.0.1'], ...credentials, ...more };
}

interface LogLine {
  msg: string;
  sessionId?: string;
  warm?: boolean;
}

function logged({ logs }: TestHost, message: string): LogLine[] {
  return logs.map((line) => JSON.parse(line) as LogLine).filter(({ msg }) => msg === message);
}

function wasWarm(running: TestHost, { sessionId }: OpenedSession): boolean | undefined {
  return logged(running, 'browser opened').find((line) => line.sessionId === sessionId)?.warm;
}

async function discover({ url }: OpenedSession, resource: 'version' | 'list'): Promise<any> {
  return (await fetch(`${url.replace('ws:', 'http:')}/json/${resource}`)).json();
}

/** All that a client can tell of it, without what is a session's own. */
async function describeBrowser(session: OpenedSession): Promise<object> {
  const version = { ...(await discover(session, 'version')), webSocketDebuggerUrl: '' };
  const [listed, ...more] = await discover(session, 'list');
  const browser = await chromium.connectOverCDP(session.url);
  const page = browser.contexts()[0]?.pages()[0] as Page;
  const cookies = await page.context().cookies();
  await page.goto(`${web.origin}/`);
  const title = await page.title();
  const flags = await page.goto('chrome://version').then(() => page.locator('#command_line').textContent());
  await browser.close();
  const { type, url } = listed; // Its title, `about:blank` as well, comes a moment later.
  return { version, page: { type, url }, more, cookies, title, flags };
}

describeEach<[string, boolean]>({
  quick: [['headless', true]],
  slow: [['headful', false]],
})('a warm %s browser', (_name, headless) => {
  const warm = { headful: headless ? 0 : 1, headless: headless ? 1 : 0 };

  it('is what a session gets, and another takes its place', async () => {
    await using running = await startTestHost({ warm });
    await running.host.warmed();
    const [waiting] = browserProcesses();
    const session = await running.open(newRequest(proxy(), { headless }));
    expect(wasWarm(running, session)).toBe(true);
    expect(browserProcesses()).toContain(waiting);
    await running.host.warmed();
    expect(browserProcesses()).toHaveLength(2);
    await running.host.close(session.sessionId);
    await expect.poll(browserProcesses).not.toContain(waiting);
    expect(running.ended[0]?.bytesUp).toBeGreaterThan(0); // The check's own.
  });

  it('is the same as a cold one, and new', { tags: 'slow' }, async () => {
    const seen = [];
    for (const stock of [warm, { headful: 0, headless: 0 }]) {
      await using running = await startTestHost({ warm: stock });
      await running.host.warmed();
      const session = await running.open(newRequest(proxy(), { headless }));
      expect(wasWarm(running, session)).toBe(stock === warm);
      seen.push(await describeBrowser(session));
    }
    expect(seen[0]).toMatchObject({
      page: { url: 'about:blank' },
      cookies: [],
      title: 'Turnpike test page',
    });
    expect(seen[1]).toEqual(seen[0]);
  });
});

it('twenty sessions at once and three warm browsers: all open, and none shares one', {
  tags: 'slow',
}, async () => {
  const warm = { headful: 0, headless: 3 };
  await using running = await startTestHost({ warm, seats: 20, startTimeoutMs: 90_000 });
  await running.host.warmed();
  const sessions = await Promise.all(
    Array.from({ length: 20 }, () => running.open({ ...newRequest(proxy()), timeoutMs: 110_000 })),
  );
  expect(sessions.filter((session) => wasWarm(running, session))).toHaveLength(3);
  const pages = await Promise.all(sessions.map((session) => discover(session, 'list')));
  expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(20);
  const users = browserProcesses().map((pid) => statSync(`/proc/${pid}`).uid);
  expect(users).toHaveLength(20);
  if (process.getuid?.() === 0) expect(new Set(users).size).toBe(20);
});

describe('what waits', () => {
  it('is not touched by proxies that fail', async () => {
    await using running = await startTestHost({ warm: { headful: 0, headless: 1 } });
    await running.host.warmed();
    const waiting = browserProcesses();
    for (let i = 0; i < 10; i++) {
      const opened = running.open(newRequest(proxy({ password: 'wrong' })));
      await expect(opened).rejects.toMatchObject({ code: 'PROXY_UNREACHABLE' });
    }
    expect(browserProcesses()).toEqual(waiting);
    expect(wasWarm(running, await running.open(newRequest(proxy())))).toBe(true);
  });

  it('is kept for a session while its proxy is checked, and free again when that fails', {
    tags: 'slow',
  }, async () => {
    await using bad = await startBadProxies();
    const warm = { headful: 0, headless: 1 };
    await using running = await startTestHost({ warm, proxyTimeoutMs: 8000 });
    await running.host.warmed();
    const hopeless = running.open(newRequest(proxy({ port: bad.silent })));
    hopeless.catch(() => {}); // Looked at below.
    const second = await running.open(newRequest(proxy()));
    expect(wasWarm(running, second)).toBe(false);
    await expect(hopeless).rejects.toMatchObject({ code: 'PROXY_UNREACHABLE' });
    expect(wasWarm(running, await running.open(newRequest(proxy())))).toBe(true);
  });

  it('is replaced when it dies', { tags: 'slow' }, async () => {
    await using running = await startTestHost({ warm: { headful: 1, headless: 0 } });
    await running.host.warmed();
    const [waiting] = browserProcesses();
    process.kill(waiting as number, 'SIGKILL');
    await expect.poll(() => logged(running, 'a warm browser went away')).toHaveLength(1);
    await running.host.warmed();
    expect(browserProcesses()).toHaveLength(1);
    const session = await running.open(newRequest(proxy(), { headless: false }));
    expect(wasWarm(running, session)).toBe(true);
  });

  it('is replaced when it grows old', { tags: 'slow' }, async () => {
    await using running = await startTestHost({ warm: { headful: 0, headless: 1 }, warmMaxAgeMs: 1000 });
    await running.host.warmed();
    const first = browserProcesses();
    const left = () => browserProcesses().filter((pid) => first.includes(pid));
    await expect.poll(left).toEqual([]);
    await expect.poll(browserProcesses).toHaveLength(1);
    expect(logged(running, 'a warm browser went away')).toEqual([]);
  });

  it('makes way for sessions: n seats are n sessions, and never more browsers', {
    tags: 'slow',
  }, async () => {
    await using running = await startTestHost({ warm: { headful: 1, headless: 1 }, seats: 2 });
    await running.host.warmed();
    const first = await running.open(newRequest(proxy()));
    const second = await running.open(newRequest(proxy()));
    expect([wasWarm(running, first), wasWarm(running, second)]).toEqual([true, false]);
    await expect(running.open(newRequest(proxy()))).rejects.toMatchObject({ code: 'NO_SEAT' });
    await running.host.warmed();
    await expect.poll(browserProcesses).toHaveLength(2); // The headful one has gone, and none came.
    await running.host.close(first.sessionId);
    await running.host.warmed(); // After the browser of the first, whose place it gets, has ended.
    expect(browserProcesses()).toHaveLength(2);
    const third = await running.open(newRequest(proxy(), { headless: false }));
    expect(wasWarm(running, third)).toBe(true);
  });
});

describe('a host that is shut down', () => {
  it('before its pool has begun leaves nothing', async () => {
    await using _running = await startTestHost({ warm: { headful: 2, headless: 2 } });
  });

  it('while its pool fills leaves nothing', async () => {
    await using _running = await startTestHost({ warm: { headful: 2, headless: 2 } });
    await expect.poll(browserProcesses, { interval: 5 }).not.toEqual([]);
  });
});

it('says once that warm browsers do not start, and does not go on trying without a rest', async () => {
  const warm = { headful: 1, headless: 1 };
  await using running = await startTestHost({ warm, chromium: '/usr/bin/false' });
  const troubles = () => logged(running, 'warm browsers do not start');
  await expect.poll(troubles).toHaveLength(1);
  await expect(running.open(newRequest(proxy()))).rejects.toMatchObject({ code: 'START_FAILED' });
  expect(troubles()).toHaveLength(1);
});
