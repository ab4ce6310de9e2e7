import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { closeServer, listen } from '../fixtures/network/listen.ts';
import { type SharedService, sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

/** Scripts as Browserless's own documentation and tests have them, in real sessions. */

watchLeaks({ wholeFile: true });

const all = new AsyncDisposableStack();
let service: SharedService;
let account: TestAccount;
let page: string;
beforeAll(async () => {
  const server = createServer((_request, response) =>
    response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end('<!doctype html><html lang="en"><title>Article</title><h1>Hello</h1>'),
  );
  page = `http://127.0.0.1:${await listen(server)}/`;
  all.defer(() => closeServer(server));
  service = all.use(await sharedService());
  account = await service.account({ creates_per_minute: 1000 });
});
afterAll(() => all.disposeAsync());

interface Answered {
  status: number;
  type: string | null;
  headers: Headers;
  bytes: Buffer;
  text: string;
}

async function post(
  path: string,
  body: string | object,
  query: Record<string, string> = {},
): Promise<Answered> {
  const address = new URLSearchParams({ token: account.key, '--proxy-server': account.proxy, ...query });
  const isCode = typeof body === 'string';
  const response = await fetch(`${service.gatewayUrl}${path}?${address}`, {
    method: 'POST',
    headers: { 'content-type': isCode ? 'application/javascript' : 'application/json' },
    body: isCode ? body : JSON.stringify(body),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const { status, headers } = response;
  return { status, headers, type: headers.get('content-type'), bytes, text: bytes.toString() };
}

test('a script loads a page, and what it returns is the answer', async () => {
  const code = `export default async function ({ page, context }) {
    await page.goto(context.url);
    const numbers = [...Array(context.len)].map((_, at) => at);
    return { data: { title: await page.title(), numbers }, type: "application/json" };
  }`;
  const answer = await post('/function', { code, context: { url: page, len: 3 } });
  expect([answer.status, answer.type]).toEqual([200, 'application/json; charset=UTF-8']);
  expect(JSON.parse(answer.text)).toEqual({
    data: { title: 'Article', numbers: [0, 1, 2] },
    type: 'application/json',
  });
});

test('a session ends with its script', async () => {
  const states = async () =>
    (await account.get('/user/api/sessions')).json.sessions.map(({ status }: { status: string }) => status);
  await expect.poll(states).toEqual(['CLOSED']);
});

test('a file that a script downloads is the answer', async () => {
  const answer = await post(
    '/chromium/download',
    `export default async ({ page }) => {
      await page.evaluate(() => {
        const link = document.createElement('a');
        link.setAttribute('href', encodeURI('data:text/plain;charset=utf-8,Hello world!'));
        link.setAttribute('download', 'data.txt');
        document.body.appendChild(link);
        link.click();
      });
    }`,
  );
  expect([answer.status, answer.type, answer.text]).toEqual([200, 'text/plain', 'Hello world!']);
  expect(answer.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''data.txt");
});

test('results have the type that they are', { tags: 'slow' }, async () => {
  const shown = async (result: string) => {
    const { status, type, bytes } = await post(
      '/chrome/function',
      `export default async ({ page }) => { await page.goto(${JSON.stringify(page)}); return ${result}; }`,
    );
    return [status, type, bytes.toString('latin1', 0, 4)];
  };
  expect(await shown('page.screenshot()')).toEqual([200, 'image/png', '\x89PNG']);
  expect(await shown('page.pdf()')).toEqual([200, 'application/pdf', '%PDF']);
  expect(await shown('page.content()')).toEqual([200, 'text/html; charset=UTF-8', '<!DO']);
  expect(await shown('page.title()')).toEqual([200, 'text/plain; charset=UTF-8', 'Arti']);
  expect(await shown('({ data: new Uint8Array([97]), type: "text/csv" })')).toEqual([200, 'text/csv', 'a']);
  expect(await shown('page.evaluate(() => innerWidth)')).toEqual([200, 'text/plain; charset=UTF-8', '800']);
  // By the session's proxy.
  expect(await shown(`(await fetch(${JSON.stringify(page)})).text()`)).toMatchObject([
    200,
    expect.anything(),
    '<!do',
  ]);
});

test('what is wrong with a script is said', { tags: 'slow' }, async () => {
  const failures: [code: string, said: RegExp][] = [
    ['export default async () => { throw new Error("out of tea"); }', /^out of tea$/],
    ['export default async ({ page }) => page.goto("nowhere")', /invalid URL/],
    ['export default async () => {', /Unexpected end of input/],
    ['export const answer = 42;', /default export/],
    ['module.exports = async () => 1;', /default export/],
    ['import "https://code.example/x.js"; export default () => 1;', /https/],
    ['export default () => process.exit();', /ended before it answered/],
  ];
  for (const [code, said] of failures) {
    const { status, text, headers } = await post('/function', code);
    expect([status, headers.get('x-error-code'), text]).toEqual([
      400,
      'SCRIPT_FAILED',
      expect.stringMatching(said),
    ]);
  }
  const { status, text } = await post('/function', 'export default () => { for (;;); }', { timeout: '3000' });
  expect([status, text]).toEqual([408, 'The script took longer than 3000 ms.']);
  const nothing = await post('/download', 'export default () => 1', { timeout: '3000' });
  expect([nothing.status, nothing.text]).toEqual([408, expect.stringContaining('No file was downloaded')]);
});

test('Lighthouse reports on a page', { tags: 'slow' }, async () => {
  const url = page;
  const settings = { onlyAudits: ['document-title', 'first-contentful-paint'] };
  const config = { extends: 'lighthouse:default', settings };
  const some = await post('/performance', { url, config });
  expect([some.status, some.type]).toEqual([200, 'application/json; charset=UTF-8']);
  const { data, type } = JSON.parse(some.text);
  expect([type, data.finalDisplayedUrl, data.runtimeError]).toEqual(['json', url, undefined]);
  expect(data.audits['document-title'].score).toBe(1);
  expect(data.audits['first-contentful-paint'].numericValue).toBeGreaterThan(0);
  const all = JSON.parse((await post('/chromium/performance', { url })).text).data;
  expect(Object.keys(all.categories)).toEqual(
    expect.arrayContaining(['accessibility', 'best-practices', 'performance', 'seo']),
  );
  expect(all.categories.performance.score).toBeGreaterThan(0);
  const wrong = await post('/performance', { url, config: { extends: 'nothing' } });
  expect([wrong.status, wrong.headers.get('x-error-code')]).toEqual([400, 'SCRIPT_FAILED']);
});
