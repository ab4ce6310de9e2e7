import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { bytesOf, type CallPage, codeOf, type PageHost, startPageHost, textOf } from './page-calls.ts';

/** Page calls on a host, with a real browser behind a real proxy. All in one session, one after the other. */

watchLeaks({ wholeFile: true });

let host: PageHost;
let call: CallPage;
let url: string;
beforeAll(async () => {
  host = await startPageHost();
  call = await host.open();
  url = `${host.site.origin}/`;
});
afterAll(() => host[Symbol.asyncDispose]());

test('a picture, a PDF and the HTML of a page are given as they are, with a report', async () => {
  const picture = await call({ url, screenshotOptions: { type: 'jpeg' } as object }, ['screenshot']);
  expect(bytesOf(picture)).toMatch(/^\xff\xd8\xff/);
  expect(picture).toMatchObject({
    type: 'image/jpeg',
    report: {
      status: 200,
      url,
      title: 'Shop',
      consoleErrors: ['bad 7', expect.stringContaining('Error: thrown')],
      warnings: [],
    },
  });
  expect(picture.report.failedRequests).toContainEqual({ url: `${url}missing.js`, reason: 'HTTP 404' });
  expect(bytesOf(await call({ url }, ['pdf']))).toMatch(/^%PDF-/);
  expect(textOf(await call({ url: `${url}next` }))).toBe(
    '<html><head><title>Next</title></head><body><h1>Next</h1></body></html>',
  );
});

test('all formats come from one load, as JSON', async () => {
  const before = host.site.asked.length;
  const answer = await call(
    // What the page adds late is there in all of them.
    { url, elements: [{ selector: '.item' }], waitForSelector: { selector: '#late' } },
    ['screenshot', 'pdf', 'content', 'markdown', 'links', 'scrape', 'snapshot', 'accessibility'],
    { raw: false },
  );
  const { screenshot, pdf, content, markdown, links, scrape, snapshot, accessibility } = JSON.parse(
    textOf(answer),
  );
  expect(Buffer.from(screenshot, 'base64').toString('latin1')).toMatch(/^.PNG/);
  expect(Buffer.from(pdf, 'base64').toString('latin1')).toMatch(/^%PDF-/);
  expect(content).toContain('<h1>Shop of things</h1>');
  expect(markdown).toContain('First **thing**');
  expect(links).toEqual([`${url}next`, 'https://example.com/x#y']);
  expect(scrape).toMatchObject([
    {
      selector: '.item',
      results: [
        {
          html: 'First <b>thing</b>',
          text: 'First thing',
          attributes: [
            { name: 'class', value: 'item' },
            { name: 'data-price', value: '5' },
          ],
          height: expect.any(Number),
          width: expect.any(Number),
          top: expect.any(Number),
          left: expect.any(Number),
        },
        { text: 'Second thing' },
      ],
    },
  ]);
  expect(snapshot.content).toBe(content);
  expect(accessibility).toMatchObject({ role: 'RootWebArea', name: 'Shop' });
  expect(JSON.stringify(accessibility)).toContain('{"role":"button","name":"Buy","disabled":true}');
  expect(host.site.asked.slice(before).filter(({ path }) => path === '/')).toHaveLength(1);
});

test('a document that the caller sends is shown, and read again as it stands', async () => {
  const html = `<h1>hello</h1><img src="${url}pixel.png">`;
  const shown = await call({ html, gotoOptions: { waitUntil: 'networkidle0' } as object });
  expect(textOf(shown)).toContain(html);
  expect(shown.report.url).toBe('about:blank');
  expect(textOf(await call({ selector: 'h1' }))).toBe('<h1>hello</h1>');
});

test('what the caller asks for is set before the page loads, and waited for after it', async () => {
  const answer = await call({
    url: `${url}headers`,
    setExtraHTTPHeaders: { 'x-one': '1' },
    userAgent: 'Me/1',
    cookies: [{ name: 'c', value: 'v' }],
    gotoOptions: { referer: 'http://ref.test/' },
  });
  expect(JSON.parse(textOf(answer))).toMatchObject({
    'x-one': '1',
    'user-agent': 'Me/1',
    cookie: 'c=v',
    referer: 'http://ref.test/',
  });
  const waited = await call({
    url,
    rejectResourceTypes: ['image'] as never[],
    rejectRequestPattern: ['missing\\.js$'],
    addScriptTag: [{ content: 'document.body.dataset.added = innerWidth' }],
    viewport: { width: 321, height: 200 },
    waitForFunction: { fn: '() => window.done' },
    waitForSelector: { selector: '#late', visible: true },
  });
  expect(textOf(waited)).toContain('<p id="late">late</p>');
  expect(textOf(waited)).toContain('<body data-added="321">');
  expect(waited.report.failedRequests.map((one) => one.reason)).toEqual(Array(2).fill('blocked: inspector'));
});

test('a page is loaded only if it has changed, and the question goes with its own request alone', async () => {
  const first = await call({ url: `${url}validated` });
  const { etag, lastModified } = first.report;
  expect([etag, lastModified]).toEqual(['"v1"', 'Wed, 18 Nov 2026 10:00:00 GMT']);
  const validators = { etag: '"v1"', lastModified: 'Wed, 18 Nov 2026 10:00:00 GMT' };
  const again = await call({ url: `${url}validated` }, ['content'], { validators });
  expect([codeOf(again), again.report.status]).toEqual(['PAGE_HTTP_304', 304]);
  const before = host.site.asked.length;
  const changed = await call({ url: `${url}validated` }, ['content'], { validators: { etag: '"v0"' } });
  expect(textOf(changed)).toContain('Validated');
  const redirected = await call({ url: `${url}to-validated` }, ['content'], { validators });
  expect(redirected.report).toMatchObject({ status: 200, url: `${url}validated` });
  const asked = host.site.asked.slice(before);
  expect(asked.filter(({ headers }) => headers['if-none-match']).map(({ path }) => path)).toEqual([
    '/validated',
    '/to-validated',
  ]);
  const withRules = { url: `${url}validated`, rejectRequestPattern: ['\\.css$'] };
  expect(codeOf(await call(withRules, ['content'], { validators }))).toBe('PAGE_HTTP_304');
  expect(textOf(await call({ url: `${url}next` }))).toContain('<h1>Next</h1>');
});

test('WebSockets are refused like other types', async () => {
  const wait = { waitForFunction: { fn: "document.title === 'ended'" } };
  const before = host.site.asked.length;
  const asked = () => host.site.asked.slice(before).map(({ path }) => path);
  await call({ url: `${url}socket`, rejectResourceTypes: ['websocket'] as never[], ...wait });
  expect(asked()).not.toContain('/echo');
  await call({ url: `${url}socket`, ...wait });
  expect(asked()).toContain('/echo');
});

test('what is no HTML is given as it came', async () => {
  const json = await call({ url: `${url}data.json` });
  expect(json).toMatchObject({ type: 'application/json; charset=utf-8' });
  expect(textOf(json)).toBe('{"a": 1,  "b": "\\u00e9 \\"x\\" 😀"}');
  expect(bytesOf(await call({ url: `${url}pixel.png` }))).toMatch(/^.PNG/);
  expect(bytesOf(await call({ url: `${url}file.pdf` }))).toMatch(/^%PDF-1.4/);
  const file = await call({ url: `${url}report.csv` });
  expect(file).toMatchObject({ type: 'text/csv', fileName: 'report.csv' });
  expect(textOf(file)).toBe('a,b\n1,2\n');
  expect(textOf(await call({ url: `${url}report.csv` }, ['markdown']))).toContain('a,b\n1,2');
  expect(textOf(await call({ url: `${url}file.pdf` }, ['markdown']))).toContain('This PDF has 1 pages');
});

test('a page that does not load is an error with its reason', async () => {
  const codes: string[] = [];
  for (const address of [
    `${url}teapot`,
    `${url}loop`,
    `${url}secret`,
    'http://127.0.0.1:1/',
    'https://nosuch.invalid/',
    'file:///etc/passwd',
    'view-source:http://127.0.0.1/',
    'javascript:alert(1)',
  ])
    codes.push(codeOf(await call({ url: address })));
  expect(codes).toEqual([
    ...['PAGE_HTTP_418', 'PAGE_REDIRECTS', 'PAGE_HTTP_401', 'PAGE_BLOCKED', 'PAGE_PROXY'],
    ...['PAGE_URL', 'PAGE_URL', 'PAGE_URL'],
  ]);
  expect(textOf(await call({ url: `${url}teapot`, ignoreHttpErrors: true }))).toContain('I am a teapot');
  expect(codeOf(await call({ url, waitForSelector: { selector: '#never', timeout: 100 } }))).toBe(
    'PAGE_TIMEOUT',
  );
  const tried = await call({
    url,
    bestAttempt: true,
    selector: 'h1',
    waitForSelector: { selector: '#never', timeout: 100 },
  });
  expect(textOf(tried)).toBe('<h1>Shop of things</h1>');
  expect(tried.report.warnings).toEqual(['Waiting for #never took longer than 100 ms.']);
});
