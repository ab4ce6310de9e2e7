import type { ServerResponse } from 'node:http';
import type { RecordedEvent } from '@turnpike/contract/recording';
import type { Browser, Page } from 'playwright-core';
import type { Browser as PuppeteerBrowser, Page as PuppeteerPage } from 'puppeteer-core';
import { expect } from 'vitest';
import type { WorldRequest } from '../fixtures/network/world-proxy.ts';

/** A site with what a recording shows, scripts that visit it, and what must be recorded of each. */

/** Each is used where such a secret is used, and turns up where it should not. */
export const planted = {
  password: 'planted-Password-1',
  typedPassword: 'planted-Typed-2',
  cookie: 'planted-cookie-3',
  clientCookie: 'planted-client-cookie-4',
  bearer: 'planted-bearer-token-5',
  urlToken: 'planted-url-token-6',
  proxyUser: 'planted-proxy-user-7',
  proxyPassword: 'planted-proxy-password-8',
  serverToken: 'planted-server-token-9',
} as const;

const pages: Readonly<Record<string, string>> = {
  '/': `<!doctype html><title>Shop</title><h1>Shop</h1><a id="file" href="/file.bin" download>file</a>`,
  '/form': `<!doctype html><title>Sign in</title><form method="post" action="/login">
    <input name="user"><input name="password" type="password"><input name="second" type="password"><button>Go</button></form>`,
  '/account': `<!doctype html><title>Account</title><p>Welcome</p>
    <script>window.token = ${JSON.stringify({ token: planted.serverToken })}</script>`,
  '/crash': '<!doctype html><title>Third</title>',
};

export function respond({ host, path, headers }: WorldRequest, response: ServerResponse): void {
  const [name = ''] = path.split('?');
  if (host === 'gone.test') {
    response.socket?.destroy();
  } else if (name === '/login') {
    response.writeHead(303, { location: '/account' }).end();
  } else if (name === '/file.bin') {
    response
      .writeHead(200, { 'content-disposition': 'attachment; filename="file.bin"' })
      .end('x'.repeat(1000));
  } else if (name === '/api') {
    response.writeHead(headers.authorization ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ok: true, access_token: planted.serverToken }));
  } else {
    response.setHeader('content-type', 'text/html');
    response.setHeader('set-cookie', `sid=${planted.cookie}; Path=/`);
    response.end(pages[name] ?? 'nothing');
  }
}

/** Run in the shop's page: it asks, fails, writes and throws. */
const misbehave = `(async () => {
  console.log('hello', { some: 'object' }, 'cookies: ' + document.cookie.split('; ').sort());
  await fetch('/api?page=2&token=${planted.urlToken}', { headers: { authorization: 'Bearer ${planted.bearer}' } });
  console.error('went wrong with ${planted.bearer}');
  await fetch('http://gone.test/').catch(() => {});
  setTimeout(() => { throw new Error('broken on purpose, ${planted.urlToken}') });
  await new Promise((resolve) => setTimeout(resolve, 50));
  alert('are you there? ${planted.cookie}');
})()`;

export async function visitWithPlaywright(browser: Browser): Promise<void> {
  const context = browser.contexts()[0];
  const shop = context?.pages()[0];
  if (!context || !shop) throw new Error('The session has no page');
  await context.addCookies([{ name: 'mine', value: planted.clientCookie, domain: 'shop.test', path: '/' }]);
  await shop.goto('http://shop.test/');
  shop.on('dialog', (dialog) => void dialog.accept());
  await shop.evaluate(misbehave);
  const form = await context.newPage();
  await form.goto('http://shop.test/form');
  await form.fill('[name=user]', 'joe');
  await form.fill('[name=password]', planted.password);
  await form.locator('[name=second]').pressSequentially(planted.typedPassword);
  await form.evaluate(
    'console.log("typed " + [...document.querySelectorAll("input")].map((one) => one.value))',
  );
  await form.click('button');
  await form.waitForURL('**/account');
  await shop.bringToFront();
  const download = shop.waitForEvent('download');
  await shop.click('#file');
  await (await download).failure();
  const third = await context.newPage();
  await third.goto('http://shop.test/crash');
  await crash(third);
  await form.close();
  await browser.close();
}

async function crash(page: Page): Promise<void> {
  const crashed = page.waitForEvent('crash');
  page.goto('chrome://crash').catch(() => {});
  await crashed;
}

/** `downloaded`: resolves when the recording has the end of a download, which Puppeteer does not tell. */
export async function visitWithPuppeteer(
  browser: PuppeteerBrowser,
  downloaded: () => Promise<void>,
): Promise<void> {
  const [shop] = await browser.pages();
  if (!shop) throw new Error('The session has no page');
  await browser.setCookie({ name: 'mine', value: planted.clientCookie, domain: 'shop.test', path: '/' });
  await shop.goto('http://shop.test/');
  shop.on('dialog', (dialog) => void dialog.accept());
  await shop.evaluate(misbehave);
  const form = await browser.newPage();
  await form.goto('http://shop.test/form');
  await form.type('[name=user]', 'joe');
  await form.type('[name=password]', planted.password);
  await form.type('[name=second]', planted.typedPassword);
  await form.evaluate(
    'console.log("typed " + [...document.querySelectorAll("input")].map((one) => one.value))',
  );
  await Promise.all([form.waitForNavigation(), form.click('button')]);
  await shop.bringToFront();
  await shop.click('#file');
  await downloaded();
  const third = await browser.newPage();
  await third.goto('http://shop.test/crash');
  await crashInPuppeteer(third);
  await form.close();
}

async function crashInPuppeteer(page: PuppeteerPage): Promise<void> {
  const crashed = new Promise((resolve) => page.once('error', resolve));
  page.goto('chrome://crash').catch(() => {});
  await crashed;
}

/** What must be recorded of either script, in this order. Other events may be between. */
const expected: readonly Partial<RecordedEvent>[] = [
  { kind: 'start', t: 0 },
  { kind: 'tab.opened', tab: 1 },
  { kind: 'client.connected', client: 1 },
  { kind: 'command', method: 'Page.navigate', tab: 1 },
  { kind: 'request', tab: 1, method: 'GET', url: 'http://shop.test/', type: 'Document' },
  { kind: 'response', tab: 1, status: 200 },
  { kind: 'navigated', tab: 1, url: 'http://shop.test/', isMainFrame: true },
  { kind: 'console', tab: 1, level: 'info', text: 'hello {some: "object"} cookies: mine=•••,sid=•••' },
  { kind: 'request', tab: 1, url: 'http://shop.test/api?page=2&token=•••', type: 'Fetch' },
  { kind: 'console', tab: 1, level: 'error', text: 'went wrong with •••' },
  { kind: 'request', tab: 1, url: 'http://gone.test/' },
  { kind: 'request.failed', tab: 1, error: 'net::ERR_EMPTY_RESPONSE' },
  { kind: 'exception', tab: 1 },
  { kind: 'dialog', tab: 1, type: 'alert', message: 'are you there? •••' },
  { kind: 'dialog.closed', tab: 1, accepted: true },
  { kind: 'tab.opened', tab: 2 },
  { kind: 'navigated', tab: 2, url: 'http://shop.test/form', isMainFrame: true },
  { kind: 'console', tab: 2, text: 'typed joe,•••,•••' },
  { kind: 'command', tab: 2, method: 'Input.dispatchMouseEvent' },
  { kind: 'request', tab: 2, method: 'POST', url: 'http://shop.test/login' },
  { kind: 'response', tab: 2, status: 303 },
  { kind: 'request', tab: 2, method: 'GET', url: 'http://shop.test/account', isRedirect: true },
  { kind: 'navigated', tab: 2, url: 'http://shop.test/account' },
  { kind: 'download', tab: 1, url: 'http://shop.test/file.bin', name: 'file.bin' },
  { kind: 'tab.opened', tab: 3 },
  { kind: 'navigated', tab: 3, url: 'http://shop.test/crash' },
  { kind: 'tab.crashed', tab: 3 },
  { kind: 'tab.closed', tab: 2 },
  { kind: 'client.disconnected', client: 1 },
  { kind: 'end', reason: 'closed' },
];

/** What must be recorded at any time after its cause. */
const expectedAnywhere: readonly Partial<RecordedEvent>[] = [
  { kind: 'tab.changed', tab: 1, url: 'http://shop.test/', title: 'Shop' },
  { kind: 'tab.changed', tab: 2, url: 'http://shop.test/account', title: 'Account' },
  { kind: 'download.done', tab: 1, state: 'completed', bytes: 1000 },
  { kind: 'command.done', client: 1 },
];

export function expectRecorded(events: readonly RecordedEvent[]): void {
  let at = 0;
  for (const wanted of expected) {
    const found = events.findIndex((event, index) => index >= at && isLike(event, wanted));
    if (found < 0)
      expect(events.slice(at), `${JSON.stringify(wanted)} after event ${at}`).toContainEqual(wanted);
    at = found + 1;
  }
  for (const wanted of expectedAnywhere) expect(events).toContainEqual(expect.objectContaining(wanted));
  const times = events.map(({ t }) => t);
  expect(times).toEqual([...times].sort((a, b) => a - b));
}

function isLike(event: RecordedEvent, wanted: Partial<RecordedEvent>): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => (event as unknown as Record<string, unknown>)[name] === value,
  );
}

/** Every command has an end, unless it was still running at the end of the page or the connection. */
export function answeredShare(events: readonly RecordedEvent[]): number {
  const asked = events.filter(({ kind }) => kind === 'command').length;
  return events.filter(({ kind }) => kind === 'command.done').length / asked;
}
