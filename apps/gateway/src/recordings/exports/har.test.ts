import { createRequire } from 'node:module';
import type { RecordedEvent } from '@turnpike/contract/recording';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { HarWriter } from './har.ts';

const require = createRequire(import.meta.url);

/** HAR 1.2 as others have written it down: the schemas of the package `har-schema`. */
function harProblems(har: unknown): string[] {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const schemas = Object.values(require('har-schema') as Record<string, { $id: string; $schema?: string }>);
  for (const { $schema: _, ...schema } of schemas) ajv.addSchema(schema);
  const validate = ajv.getSchema('har.json#') ?? ajv.getSchema('har.json');
  if (!validate) throw new Error('no schema of HAR');
  return validate(har) ? [] : [ajv.errorsText(validate.errors)];
}

type Request = Extract<RecordedEvent, { kind: 'request' }>;
type Response = Extract<RecordedEvent, { kind: 'response' }>;

const request = (id: string, t: number, more: Partial<Request> = {}): RecordedEvent => ({
  t,
  tab: 1,
  kind: 'request',
  id,
  method: 'GET',
  url: `https://site.test/${id}?q=1`,
  type: 'Document',
  initiator: 'other',
  headers: { accept: '*/*' },
  isRedirect: false,
  ...more,
});
const response = (id: string, t: number, more: Partial<Response> = {}): RecordedEvent => ({
  t,
  tab: 1,
  kind: 'response',
  id,
  status: 200,
  statusText: 'OK',
  mimeType: 'text/html',
  protocol: 'h2',
  fromCache: false,
  headers: { 'content-type': 'text/html', server: 'a\nb' },
  ...more,
});
const done = (id: string, t: number, bytes = 10): RecordedEvent => ({ t, kind: 'request.done', id, bytes });

function harOf(events: readonly RecordedEvent[], startedAt = Date.parse('2026-11-15T03:00:00Z')) {
  const writer = new HarWriter(startedAt);
  const parts = events.map((event) => writer.add(event, JSON.stringify(event).length));
  const text = [writer.begin(), ...parts, ...writer.end()].join('');
  const har = JSON.parse(text);
  expect(harProblems(har)).toEqual([]);
  return har.log;
}

test('a HAR has requests with their responses, headers, sizes and times', () => {
  const { entries, pages, version } = harOf([
    { t: 0, kind: 'start', stealth: false, bodies: false, picturesPerSecond: 1, headless: true },
    { t: 1, tab: 1, kind: 'tab.opened', url: 'about:blank' },
    request('a', 10),
    response('a', 60, { timing: { blocked: 1, connect: 20, ssl: 10, send: 2, wait: 25 } }),
    { t: 70, tab: 1, kind: 'tab.changed', url: 'https://site.test/a', title: 'A' },
    done('a', 110, 1234),
  ]);
  expect(version).toBe('1.2');
  expect(pages).toMatchObject([{ id: 'tab_1', title: 'A', startedDateTime: '2026-11-15T03:00:00.001Z' }]);
  expect(entries).toMatchObject([
    {
      pageref: 'tab_1',
      startedDateTime: '2026-11-15T03:00:00.010Z',
      time: 100,
      request: { method: 'GET', httpVersion: 'h2', queryString: [{ name: 'q', value: '1' }] },
      response: { status: 200, bodySize: 1234, content: { size: 1234, mimeType: 'text/html' } },
      timings: { blocked: 1, connect: 20, ssl: 10, send: 2, wait: 25, receive: 52 },
    },
  ]);
  expect(entries[0].response.headers).toContainEqual({ name: 'server', value: 'b' });
});

test('failures, redirects and requests without an end are in it too', () => {
  const { entries } = harOf([
    request('r', 0),
    response('r', 5, { status: 302, statusText: 'Found' }),
    done('r', 6),
    request('r', 6, { url: 'https://site.test/next', isRedirect: true }),
    response('r', 9),
    done('r', 10),
    request('f', 20),
    { t: 25, kind: 'request.failed', id: 'f', error: 'net::ERR_CONNECTION_REFUSED', isCanceled: false },
    request('open', 30),
    done('unknown', 31),
  ]);
  const shown = entries.map((entry: any) => [
    entry.request.url,
    entry.response.status,
    entry.response.redirectURL,
    entry._error,
  ]);
  expect(shown).toEqual([
    ['https://site.test/r?q=1', 302, 'https://site.test/next', undefined],
    ['https://site.test/next', 200, '', undefined],
    ['https://site.test/f?q=1', 0, '', 'net::ERR_CONNECTION_REFUSED'],
    ['https://site.test/open?q=1', 0, '', undefined],
  ]);
});

test('bodies that come after the end of a request are part of it', () => {
  const { entries } = harOf([
    { t: 0, kind: 'start', stealth: false, bodies: true, picturesPerSecond: 0, headless: true },
    request('p', 1, { method: 'POST', headers: { 'Content-Type': 'application/json' } }),
    { t: 1, kind: 'body', id: 'p', of: 'request', text: '{"a":1}', isCut: false },
    response('p', 5),
    done('p', 6),
    request('q', 7),
    response('q', 8),
    done('q', 9),
    { t: 12, kind: 'body', id: 'p', of: 'response', text: 'hällo', isCut: true },
    { t: 13, kind: 'body', id: 'q', of: 'response', base64: 'AAEC', isCut: false },
  ]);
  expect(entries).toMatchObject([
    {
      request: { postData: { mimeType: 'application/json', text: '{"a":1}' } },
      response: { content: { size: 6, text: 'hällo', comment: 'cut' } },
    },
    { response: { content: { size: 3, text: 'AAEC', encoding: 'base64' } } },
  ]);
});

test('a hundred thousand requests take no more memory than those that are open', () => {
  const writer = new HarWriter(0);
  let held = 0;
  for (let i = 0; i < 100_000; i++) {
    // Every tenth never ends.
    const events = [request(`${i}`, i), response(`${i}`, i), ...(i % 10 === 0 ? [] : [done(`${i}`, i)])];
    for (const event of events) held += writer.add(event, 2000).length;
  }
  const rest = [...writer.end()].join('');
  // What is written at the end is at most what may be held: 16 MiB of events of 2,000 bytes.
  expect(rest.match(/"startedDateTime"/g)?.length).toBeLessThan(9000);
  expect(held).toBeGreaterThan(rest.length);
});

test('the schemas refuse what is no HAR', () => {
  expect(harProblems({ log: { version: '1.2', entries: [] } })).not.toEqual([]);
});

test('a download is in it once, whether or not its request was reported', () => {
  const download = (id: string, t: number, path: string): RecordedEvent[] => [
    { t, tab: 1, kind: 'download', id, url: `https://site.test/${path}`, name: path },
    { t: t + 5, tab: 1, kind: 'download.done', id, state: 'completed', bytes: 1000 },
  ];
  const { entries } = harOf([
    request('link', 0, { url: 'https://site.test/reported' }),
    { t: 3, kind: 'request.failed', id: 'link', error: 'net::ERR_ABORTED', isCanceled: true },
    ...download('d1', 5, 'reported'),
    ...download('d2', 20, 'not-reported'),
    { t: 30, tab: 1, kind: 'download', id: 'd3', url: 'blob:https://site.test/1', name: 'made' },
    request('page', 40, { url: 'https://site.test/page' }),
    { t: 45, tab: 1, kind: 'navigated', url: 'https://site.test/page', isMainFrame: true },
    ...download('d4', 50, 'page'),
  ]);
  const shown = entries.map((entry: any) => [entry.request.url, entry.response.bodySize]);
  expect(shown).toEqual(
    expect.arrayContaining([
      ['https://site.test/reported', 0],
      ['https://site.test/not-reported', 1000],
      ['https://site.test/page', 0],
      ['https://site.test/page', 1000],
    ]),
  );
  expect(shown).toHaveLength(4);
});
