// @module-tag slow
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { newRequest } from '../../apps/host/src/testing/test-host.ts';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { testEach } from '../fixtures/suite/matrix.ts';
import { clicks, LiveViewHarness, notepad, selected, type Watched, written } from './harness.ts';
import { click, cutText, desktopSize, extendedKeyPress, keyPress, RfbClient } from './rfb-client.ts';

watchLeaks({ wholeFile: true });

let harness: LiveViewHarness;
let framer: WebServer;
/** A session that several tests look at; its browser was up before it was asked for. */
let shared: Watched;

beforeAll(async () => {
  framer = await startWebServer();
  harness = await LiveViewHarness.open({
    warm: { headful: 1, headless: 0 },
    viewerAncestors: [framer.origin],
  });
  await harness.running.host.warmed();
  shared = await harness.watched();
  expect(harness.running.logs.at(-1)).toContain('"warm":true');
});
afterEach(() => harness.closeViews());
afterAll(async () => {
  await harness?.[Symbol.asyncDispose]();
  await framer?.[Symbol.asyncDispose]();
});

describe('a person at the live view', () => {
  beforeEach(() => shared.page.setContent(notepad));

  // On Windows noVNC keeps Control back for a moment.
  testEach({ quick: ['Linux x86_64'], slow: ['Win32'] })(
    'clicks and types in the session, and copies and pastes in both directions, on %s',
    async (platform) => {
      const { page, viewUrl } = shared;
      const view = await harness.view(viewUrl, { platform });
      await view.locator('canvas').click();
      await expect.poll(() => clicks(page)).toBe(1);
      await view.keyboard.type('Hello, World! 123');
      await expect.poll(() => written(page)).toBe('Hello, World! 123');

      await view.evaluate("navigator.clipboard.writeText('from here: žluťoučký 漢字')");
      await view.keyboard.press('Control+a');
      await expect.poll(() => selected(page)).toBe('Hello, World! 123'); // Which is no copy.
      await view.keyboard.down('Control');
      await view.keyboard.press('v');
      await expect.poll(() => written(page)).toBe('from here: žluťoučký 漢字');

      await page.locator('textarea').fill('from there: кириллица');
      await view.keyboard.press('a'); // Control is still down.
      await view.keyboard.press('c');
      await view.keyboard.up('Control');
      await expect.poll(() => view.evaluate('navigator.clipboard.readText()')).toBe('from there: кириллица');
      await expect.poll(() => view.locator('#clipboard-text').inputValue()).toBe('from there: кириллица');
    },
  );

  test('sends text by the panel where the browser gives no clipboard, and types with a phone’s keyboard', async () => {
    const { page, viewUrl } = shared;
    const view = await harness.view(viewUrl);
    await view.locator('canvas').click();
    await view.getByRole('button', { name: 'Clipboard', exact: true }).click();
    await view.locator('#clipboard-text').fill('by hand');
    await view.getByRole('button', { name: 'Send to session' }).click();
    expect(await view.locator('#clipboard').isVisible()).toBe(false);
    await view.keyboard.press('Shift+Insert'); // The session's own paste, not the viewer's.
    await expect.poll(() => written(page)).toBe('by hand');

    await page.locator('textarea').fill('');
    await view.locator('#keyboard-button').dispatchEvent('click');
    await view.locator('#keyboard-input').evaluate((input: any) => {
      for (const text of ['te', 'teh', 'the', 'the e\n!', 'the e\n']) {
        input.value = ' '.repeat(64) + text;
        input.dispatchEvent(new (globalThis as any).InputEvent('input'));
      }
    });
    await expect.poll(() => written(page)).toBe('the e\n');
  });

  test('shares it with others, and all see the same', async () => {
    const { page, viewUrl } = shared;
    const first = await harness.view(viewUrl);
    const second = await harness.view(viewUrl);
    const watching = await harness.view(`${viewUrl}?view_only=1`);
    await first.bringToFront();
    await first.locator('canvas').click();
    await first.keyboard.type('one ');
    await expect.poll(() => written(page)).toBe('one ');
    await second.bringToFront();
    await second.locator('canvas').focus();
    await second.keyboard.type('two');
    await expect.poll(() => written(page)).toBe('one two');
    await page.setContent('<body style="margin:0;background:rgb(10,200,30)">');
    for (const view of [first, second, watching]) {
      await view.bringToFront();
      await expect.poll(() => view.evaluate(colourOfPicture)).toEqual([10, 200, 30]);
    }
  });
});

/** Reads a pixel that noVNC has drawn, away from the pointer, which is drawn too. */
const colourOfPicture = `(() => {
  const canvas = document.querySelector('#screen canvas');
  const { data } = canvas.getContext('2d').getImageData(canvas.width / 3, canvas.height / 3, 1, 1);
  return [...data].slice(0, 3);
})()`;

describe('view_only', () => {
  beforeEach(() => shared.page.setContent(notepad));

  /** Someone who may use the session, and has put its cursor into the page. */
  async function owner(): Promise<RfbClient> {
    const client = await RfbClient.connect(shared.socketUrl);
    client.send(click(600, 600));
    await expect.poll(() => clicks(shared.page)).toBe(1);
    return client;
  }

  test('leads to an address of its own that only watches, whatever the page does', async () => {
    const { page, viewUrl } = shared;
    for (const parameter of ['?view_only=true', '&view_only=1']) {
      expect((await fetch(viewUrl + parameter)).url).toMatch(/\/vnc\/[0-9a-f]{40}$/);
    }
    const mayType = await owner();
    const view = await harness.view(`${viewUrl}?view_only=1`);
    expect(view.url()).toMatch(/\/vnc\/[0-9a-f]{40}$/);
    expect(view.url()).not.toContain(viewUrl.split('/').at(-1));
    expect(await view.getByText('View only').isVisible()).toBe(true);
    await view.locator('canvas').click();
    await view.keyboard.type('no');
    // The page's own restraint is not what holds: this takes it away.
    await view.evaluate(`import(document.querySelector('link[rel=modulepreload]').href).then(({ default: RFB }) => {
      const url = location.href.replace('http', 'ws') + '/socket';
      const rfb = new RFB(document.querySelector('#screen'), url);
      return new Promise((resolve) => rfb.addEventListener('connect', () => {
        rfb.clipboardPasteFrom('no');
        for (const key of [0x6e, 0x6f]) rfb.sendKey(key);
        resolve();
      }));
    })`);
    mayType.send(keyPress(0x7a));
    await expect.poll(() => written(page)).toBe('z');
    expect(await clicks(page)).toBe(1);
    mayType.socket.close();
  });

  test('holds against a client that writes RFB itself: no key, click, paste or resize arrives', async () => {
    const { page, viewUrl, socketUrl } = shared;
    const watchUrl = (await fetch(`${viewUrl}?view_only=1`)).url.replace('http', 'ws');
    const size = 'JSON.stringify([screen.width, screen.height])';
    const before = await page.evaluate(size);
    const mayType = await owner();
    for (const url of [`${watchUrl}/socket`, `${socketUrl}?view_only=1`, `${watchUrl}/socket?view_only=0`]) {
      const watcher = await RfbClient.connect(url);
      watcher.send(keyPress(0x61), extendedKeyPress(0x62, 0x30), click(600, 600));
      watcher.send(cutText('stolen'), desktopSize(800, 600));
      await watcher.settled();
      watcher.socket.close();
      await watcher.closed;
    }
    mayType.send(keyPress(0x7a));
    await expect.poll(() => written(page)).toBe('z');
    expect(await clicks(page)).toBe(1);
    expect(await page.evaluate(size)).toBe(before);
    // The same messages do arrive from one who may.
    mayType.send(extendedKeyPress(0x62, 0x30), click(600, 600));
    await expect.poll(() => written(page)).toBe('zb');
    await expect.poll(() => clicks(page)).toBe(2);
    mayType.socket.close();
  });

  test('ends a connection that sends what is not known', async () => {
    const { socketUrl } = shared;
    const watcher = await RfbClient.connect(`${socketUrl}?view_only=1`);
    watcher.send(Buffer.of(99));
    expect(await watcher.closed).toEqual({ code: 1008, reason: 'unknown message' });
    const talker = await RfbClient.connect(socketUrl);
    talker.socket.send('text');
    expect(await talker.closed).toMatchObject({ code: 1008 });
  });
});

describe('the end of a session', () => {
  testEach<['closed' | 'gone', number, string]>({
    quick: [['closed', 4000, 'The session was closed']],
    slow: [['gone', 4002, 'The browser stopped']],
  })('%s is told to those who look', async (cause, code, title) => {
    const { browser, sessionId, viewUrl, socketUrl } = await harness.watched();
    const view = await harness.view(viewUrl);
    const client = await RfbClient.connect(socketUrl);
    if (cause === 'closed') await harness.running.host.close(sessionId);
    if (cause === 'gone') {
      const root = await browser.newBrowserCDPSession();
      await root.send('Browser.close').catch(() => {});
    }
    await view.getByRole('heading', { name: title }).waitFor();
    expect(await client.closed).toMatchObject({ code });
    expect(await view.locator('#status').textContent()).toBe('Ended');
    const answer = await view.reload();
    expect(answer?.status()).toBe(404);
    await view.getByRole('heading', { name: 'There is no live view here' }).waitFor();
  });

  test('expired is told too, in words of its own', { tags: 'slow' }, async () => {
    const request = newRequest(harness.tunnel.proxy, { headless: false, lifetimeMs: 8000 });
    request.params.vnc = true;
    const { host } = harness.running;
    await host.open(request, new AbortController().signal);
    const client = new RfbClient(`${host.publicUrl}/vnc/${request.viewerToken}/socket`);
    expect(await client.closed).toEqual({ code: 4001, reason: 'EXPIRED' });
    const words = new URL('../../apps/host/src/viewer/page/endings.ts', import.meta.url).href;
    const { endingOf } = await import(words);
    expect(endingOf(4001).title).toBe('The session’s time ran out');
  });

  test('a view that loses its connection comes back by itself, and learns of an end it missed', async () => {
    const { page, sessionId, viewUrl } = await harness.watched();
    const view = await harness.view(viewUrl);
    harness.tunnel.cut();
    await view.locator('body[data-state="interrupted"]').waitFor();
    await view.locator('body[data-state="connected"] canvas').waitFor();
    await view.locator('canvas').click();
    await view.keyboard.type('back');
    await expect.poll(() => written(page)).toBe('back');

    harness.tunnel.refuse(true);
    harness.tunnel.cut();
    await view.locator('body[data-state="interrupted"]').waitFor();
    await harness.running.host.close(sessionId);
    await view.getByRole('heading', { name: 'The session has ended' }).waitFor();
    harness.tunnel.refuse(false);
  });
});

describe('who has no business here', () => {
  const upgrade = (url: string, origin?: string): Promise<number> =>
    new Promise((resolve) => {
      const socket = new WebSocket(url, origin === undefined ? {} : { origin });
      socket.on('error', () => {});
      socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode ?? 0));
      socket.on('open', () => {
        resolve(101);
        socket.close();
      });
    });

  test('gets the same 404 for every address that opens nothing, and nothing for a headless or unwatched session', async () => {
    const { host } = harness.running;
    const base = host.publicUrl.replace(/^ws/, 'http');
    const { viewUrl, sessionId } = shared;
    const token = viewUrl.split('/').at(-1) as string;
    const headless = newRequest(harness.tunnel.proxy);
    headless.params.vnc = true;
    const signal = new AbortController().signal;
    expect(await host.open(headless, signal)).toMatchObject({ viewer: false });
    const unwatched = newRequest(harness.tunnel.proxy, { headless: false });
    expect(await host.open(unwatched, signal)).toMatchObject({ viewer: false });
    const comparable = async (path: string, init?: RequestInit) => {
      const answer = await fetch(`${base}${path}`, init);
      const headers = [...answer.headers].filter(([name]) => name !== 'date');
      return { status: answer.status, headers, text: await answer.text() };
    };
    const expected = await comparable('/vnc/unknown');
    expect(expected.status).toBe(404);
    for (const path of [
      `/vnc/${token.slice(0, -1)}`,
      `/vnc/${token}0`,
      `/vnc/${token.toUpperCase()}`,
      `/vnc/${token}/`,
      `/vnc/${token}/socket`,
      `/vnc/${token}%00`,
      `/vnc/${sessionId}`,
      `/vnc/${headless.viewerToken}`,
      `/vnc/${unwatched.viewerToken}`,
      `/vnc/${unwatched.cdpId}`,
      '/vnc/',
      '/vnc/assets/',
      '/vnc/assets/0/main.ts',
      '/vnc/__proto__',
    ]) {
      expect([path, await comparable(path)]).toEqual([path, expected]);
    }
    expect(await comparable('/vnc/unknown', { method: 'POST' })).toEqual(expected);
    const posted = await fetch(`${base}/vnc/${token}`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    for (const id of [unwatched.viewerToken, headless.viewerToken, unwatched.cdpId, '0'.repeat(40), 'x']) {
      expect([id, await upgrade(`${host.publicUrl}/vnc/${id}/socket`)]).toEqual([id, 404]);
    }
    await Promise.all([host.close(headless.sessionId), host.close(unwatched.sessionId)]);
  });

  test('cannot open the socket from a page of another origin', async () => {
    const { viewUrl, socketUrl } = shared;
    expect(await upgrade(socketUrl, new URL(viewUrl).origin)).toBe(101);
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1', 'http://localhost']) {
      expect([origin, await upgrade(socketUrl, origin)]).toEqual([origin, 403]);
    }
  });

  test('cannot find the CDP id in the page, nor take it anywhere: strict policy, no cache, no referrer', async () => {
    const { viewUrl } = shared;
    const answer = await fetch(viewUrl);
    expect(await answer.text()).not.toMatch(/cdp|br_/);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*/);
    const script = /src="([^"]+\/main\.ts)"/.exec(await (await fetch(viewUrl)).text())?.[1] ?? '';
    for (const encoding of ['gzip', 'identity']) {
      const file = await fetch(new URL(script, viewUrl), { headers: { 'accept-encoding': encoding } });
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(await file.text()).toContain('connection.connect()');
    }
    const view = await harness.viewers.newPage();
    const complaints: string[] = [];
    view.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    await view.goto(viewUrl);
    await view.locator('body[data-state="connected"]').waitFor();
    expect(complaints).toEqual([]);
  });

  test('cannot show it in a frame, unless the operator said so', async () => {
    await using other = await startWebServer();
    const { viewUrl } = shared;
    const shown = async (origin: string) => {
      const page = await harness.viewers.newPage();
      await page.goto(origin);
      await page.evaluate((src) => {
        const frame = (globalThis as any).document.createElement('iframe');
        frame.src = src;
        (globalThis as any).document.body.append(frame);
        return new Promise((resolve) => frame.addEventListener('load', resolve));
      }, viewUrl);
      return page.frames()[1]?.url();
    };
    expect(await shown(framer.origin)).toBe(viewUrl);
    expect(await shown(other.origin)).toMatch(/^chrome-error:/);
  });
});
