import type { PageAnswer, PageCall } from '@turnpike/contract/page/page-call';
import {
  newRequest,
  type OpenedSession,
  startTestHost,
  type TestHost,
} from '@turnpike/host/testing/test-host';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Squid, startSquid } from '../fixtures/network/squid.ts';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

/** Page calls on a host, with a real browser behind a real proxy. */

watchLeaks({ wholeFile: true });

const all = new AsyncDisposableStack();
let web: WebServer;
let squid: Squid;
let running: TestHost;
let session: OpenedSession;

beforeAll(async () => {
  web = all.use(await startWebServer());
  squid = all.use(await startSquid());
  running = all.use(await startTestHost());
  session = await running.open(newRequest(squid.upstream));
});
afterAll(() => all.disposeAsync());

async function call(
  parameters: PageCall['parameters'],
  formats: PageCall['formats'] = ['content'],
  raw = true,
): Promise<PageAnswer> {
  const wanted = { parameters, formats, raw, timeoutMs: 20_000 };
  const answer = await running.host.callPage(session.sessionId, wanted, new AbortController().signal);
  if (!answer) throw new Error('The host does not have the session');
  return answer;
}

const bodyOf = (answer: PageAnswer): string => {
  if ('error' in answer) throw new Error(`${answer.error.code} ${answer.error.message}`);
  return Buffer.from(answer.body).toString('latin1');
};
const codeOf = (answer: PageAnswer): string => ('error' in answer ? answer.error.code : 'no error');

test('a picture, a PDF and the HTML of a page are given as they are', async () => {
  const url = `${web.origin}/`;
  const picture = await call({ url }, ['screenshot']);
  expect(bodyOf(picture)).toMatch(/^.PNG/);
  expect(picture).toMatchObject({
    type: 'image/png',
    report: { status: 200, url, title: 'Turnpike test page', consoleErrors: [], warnings: [] },
  });
  expect(bodyOf(await call({ url }, ['pdf']))).toMatch(/^%PDF-/);
  expect(bodyOf(await call({ url }))).toBe(
    '<!DOCTYPE html>\n<html><head><title>Turnpike test page</title></head><body><h1>It works</h1></body></html>',
  );
});

test('several formats come from one load, as JSON', async () => {
  const before = web.requests.length;
  const answer = await call({ url: `${web.origin}/` }, ['content', 'screenshot', 'pdf'], false);
  const { content, screenshot, pdf } = JSON.parse(bodyOf(answer));
  expect(content).toContain('<h1>It works</h1>');
  expect(Buffer.from(screenshot, 'base64').toString('latin1')).toMatch(/^.PNG/);
  expect(Buffer.from(pdf, 'base64').toString('latin1')).toMatch(/^%PDF-/);
  expect(web.requests.slice(before).filter(({ path }) => path === '/')).toHaveLength(1);
});

test('a document that the caller sends is shown', async () => {
  expect(bodyOf(await call({ html: '<p>hello</p>' }))).toContain('<p>hello</p>');
});

test('a page that does not load is an error with its reason', async () => {
  expect(await call({ url: `${web.origin}/status/404` })).toMatchObject({
    report: { status: 404 },
    error: { code: 'PAGE_HTTP_404' },
  });
  expect(codeOf(await call({ url: 'file:///etc/passwd' }))).toBe('PAGE_URL');
  expect(codeOf(await call({ url: 'https://nosuch.invalid/' }))).toBe('PAGE_PROXY');
  expect(codeOf(await call({ url: 'http://127.0.0.1:1/' }))).toBe('PAGE_BLOCKED');
});
