import { PageParameters } from '@turnpike/contract/page/page-request';
import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { type PageCallName, readCallBody } from './read-call-body.ts';

/** What a body is read as, which must be a page call's parameters. */
function read(call: PageCallName, body: Record<string, unknown>) {
  const { parameters, warnings } = readCallBody(call, body);
  expect([...Value.Errors(PageParameters, parameters)]).toEqual([]);
  return { parameters, warnings };
}

const url = 'https://example.com/';

test('a body with everything that a screenshot takes is a page call', () => {
  const body = {
    url,
    gotoOptions: { waitUntil: 'networkidle2', timeout: 0, referrerPolicy: 'origin' },
    options: { type: 'jpeg', quality: 50, fullPage: true, fromSurface: true, clip: null },
    viewport: { width: 400, height: 300, deviceScaleFactor: 2 },
    cookies: [
      { name: 'a', value: '1', expires: -1, session: true, size: 2 },
      { name: 'b', value: '2', domain: 'example.com', expires: 2e9 },
    ],
    authenticate: { username: 'a', password: 'b' },
    setExtraHTTPHeaders: { 'x-a': 'b' },
    userAgent: { userAgent: 'Mozilla/5.0' },
    addScriptTag: [{ content: 'a()', id: 'x' }],
    addStyleTag: [{ url: `${url}a.css` }],
    waitForSelector: { selector: 'h1', visible: true, timeout: 500_000 },
    waitForFunction: { fn: '() => true', polling: 'raf', timeout: 1000 },
    waitForTimeout: 10.5,
    emulateMediaType: 'screen',
    rejectRequestPattern: ['\\.png$'],
    rejectResourceTypes: ['image', 'font', 'image'],
    setJavaScriptEnabled: false,
    scrollPage: true,
    bestAttempt: true,
    selector: 'main',
  };
  expect(read('screenshot', body)).toEqual({
    parameters: {
      url,
      gotoOptions: { waitUntil: 'networkidle2', timeout: 120_000 },
      screenshotOptions: { type: 'jpeg', quality: 50, fullPage: true },
      viewport: body.viewport,
      cookies: [
        { name: 'a', value: '1', url },
        { name: 'b', value: '2', domain: 'example.com', expires: 2e9 },
      ],
      authenticate: body.authenticate,
      setExtraHTTPHeaders: body.setExtraHTTPHeaders,
      userAgent: 'Mozilla/5.0',
      addScriptTag: [{ content: 'a()' }],
      addStyleTag: body.addStyleTag,
      waitForSelector: { selector: 'h1', visible: true, timeout: 120_000 },
      waitForFunction: body.waitForFunction,
      waitForTimeout: 11,
      emulateMediaType: 'screen',
      rejectRequestPattern: ['\\.png$'],
      rejectResourceTypes: ['image', 'font'],
      setJavaScriptEnabled: false,
      scrollPage: true,
      bestAttempt: true,
      selector: 'main',
      ignoreHttpErrors: true,
    },
    warnings: [],
  });
});

test('a PDF has its options, and says which are ignored', () => {
  const options = {
    format: 'A4',
    printBackground: true,
    margin: { top: '1cm' },
    fullPage: true,
    path: 'a.pdf',
  };
  expect(read('pdf', { html: '<p>', options, elements: [] })).toEqual({
    parameters: {
      html: '<p>',
      pdfOptions: { format: 'a4', printBackground: true, margin: { top: '1cm' } },
      ignoreHttpErrors: true,
    },
    warnings: ['Ignored members of the body: elements.', 'fullPage of a PDF is ignored: give a height.'],
  });
});

test('a scrape has its elements, and may ask for the console', () => {
  const body = { url, elements: [{ selector: 'h1', timeout: 0 }], debugOpts: { console: true, html: true } };
  expect(readCallBody('scrape', body)).toEqual({
    parameters: { url, elements: [{ selector: 'h1', timeout: 120_000 }], ignoreHttpErrors: true },
    debug: true,
    warnings: ['Of debugOpts these are ignored: html.'],
  });
});

test('an event is waited for by a function', () => {
  const { parameters } = read('content', { url, waitForEvent: { event: 'a"b', timeout: 50 } });
  const { fn, timeout } = parameters['waitForFunction'] as { fn: string; timeout: number };
  expect(timeout).toBe(50);
  const target = new EventTarget();
  const poll: () => boolean = new Function('document', 'window', `return ${fn}`)(target, new EventTarget());
  expect([poll(), poll()]).toEqual([false, false]);
  target.dispatchEvent(new Event('a"b'));
  expect(poll()).toBe(true);
  const both = { url, waitForEvent: { event: 'a' }, waitForFunction: { fn: '1' } };
  expect(read('content', both).warnings).toEqual(['waitForEvent is ignored beside waitForFunction.']);
});

test('the address counts before the document, and one of them must be there', () => {
  expect(read('content', { url, html: '<p>' }).parameters).toEqual({ url, ignoreHttpErrors: true });
  expect(read('content', { url: '', html: '<p>' }).parameters).toEqual({
    html: '<p>',
    ignoreHttpErrors: true,
  });
  for (const body of [{}, { url: '' }, { html: '' }])
    expect(() => readCallBody('content', body)).toThrow('url or html is required.');
});

test('what would make another page of it is refused', () => {
  const interceptors = [{ pattern: '.*', response: { status: 200 } }];
  expect(() => readCallBody('content', { url, requestInterceptors: interceptors })).toThrow('is not offered');
  expect(() => readCallBody('screenshot', { url, options: { path: 'a.png' } })).toThrow('not allowed');
  expect(() => readCallBody('content', { url, waitForEvent: { event: 1 } })).toThrow('name of an event');
});

test('resource types that do not exist are named', () => {
  const { parameters, warnings } = read('content', { url, rejectResourceTypes: ['preflight', 'image'] });
  expect(parameters['rejectResourceTypes']).toEqual(['image']);
  expect(warnings).toEqual(['Not resource types: preflight.']);
});
