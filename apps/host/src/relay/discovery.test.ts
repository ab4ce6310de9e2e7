import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDirectChromium } from '../../../../bench/direct-chromium.ts';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { newRequest, startPageProxy, startTestHost } from '../testing/test-host.ts';

/** `/json/…` of a session beside a Chromium's own. */

watchLeaks({ wholeFile: true });

const all = new AsyncDisposableStack();
let [direct, ours] = ['', ''];

beforeAll(async () => {
  const { proxy } = all.use(await startPageProxy());
  const running = all.use(await startTestHost());
  const session = await running.open(newRequest(proxy, { lifetimeMs: 600_000 }));
  ours = session.url.replace('ws:', 'http:');
  direct = new URL(all.use(await startDirectChromium()).url.replace('ws:', 'http:')).origin;
});
afterAll(() => all.disposeAsync());

interface Said {
  status: number;
  type: string | null;
  text: string;
}

async function ask(base: string, path: string, method = 'GET'): Promise<Said> {
  const response = await fetch(`${base}/json/${path}`, { method });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
  };
}

/** Both are asked the same. */
async function askBoth(path: string, method?: string): Promise<[direct: Said, ours: Said]> {
  return [await ask(direct, path, method), await ask(ours, path, method)];
}

it('describes the protocol as the browser itself does', async () => {
  const [theirs, own] = await askBoth('protocol');
  expect(own.text === theirs.text).toBe(true);
  expect([own.status, own.type]).toEqual([theirs.status, theirs.type]);
  expect(JSON.parse(own.text)).toHaveProperty('domains');
});

it('opens, shows and closes a page as the browser itself does', async () => {
  for (const path of ['new', 'new?about:blank', 'new?no%20address']) {
    const both = await askBoth(path, 'PUT');
    const [theirs, own] = both.map(({ text }) => JSON.parse(text));
    const known = ({ type, url, title, description }: typeof own) => ({ type, url, title, description });
    expect(known(own)).toEqual(known(theirs));
    expect(own.webSocketDebuggerUrl).toMatch(new RegExp(`/cdp/[^/]+/page/${own.id}$`));
    for (const command of ['activate', 'close']) {
      expect(await ask(ours, `${command}/${own.id}`)).toEqual(await ask(direct, `${command}/${theirs.id}`));
    }
  }
  // A page that is closing is listed for a moment more.
  const pages = async () =>
    (JSON.parse((await ask(ours, 'list')).text) as { type: string }[]).filter(({ type }) => type === 'page');
  await expect.poll(pages).toHaveLength(1);
});

it('opens the page that was asked for', async () => {
  const { id } = JSON.parse((await ask(ours, 'new?http%3A%2F%2Fexample.com%2F', 'PUT')).text) as {
    id: string;
  };
  const url = async () =>
    (JSON.parse((await ask(ours, 'list')).text) as { id: string; url: string }[]).find(
      (page) => page.id === id,
    )?.url;
  await expect.poll(url).toBe('http://example.com/');
});

it.each([
  ['new', 'GET'],
  ['new', 'POST'],
  ['activate/NOSUCH', 'GET'],
  ['close/NOSUCH', 'GET'],
])('refuses %s by %s in the browser’s words', async (path, method) => {
  const [theirs, own] = await askBoth(path, method);
  expect(own).toEqual(theirs);
});
