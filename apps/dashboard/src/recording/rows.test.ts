import type { RecordedEvent } from '@turnpike/contract/recording';
import { expect, test } from 'vitest';
import { rowsOf, search, tabsAt } from './rows.ts';

const request = (t: number, id: string, url: string, isRedirect = false): RecordedEvent => ({
  kind: 'request',
  t,
  tab: 1,
  id,
  method: 'GET',
  url,
  type: 'Document',
  initiator: 'navigation',
  headers: {},
  isRedirect,
});
const response = (t: number, id: string, status: number): RecordedEvent => ({
  kind: 'response',
  t,
  id,
  status,
  statusText: '',
  mimeType: 'text/html',
  protocol: 'h2',
  fromCache: false,
  headers: { server: 'Fern' },
});

const events: RecordedEvent[] = [
  { kind: 'start', t: 0, stealth: false, bodies: false, picturesPerSecond: 1, headless: true },
  { kind: 'command', t: 1, client: 1, command: 1, method: 'Page.navigate', params: { url: 'http://a.test' } },
  request(2, 'r1', 'http://a.test/'),
  response(5, 'r1', 301),
  request(6, 'r1', 'http://a.test/home', true),
  { kind: 'command', t: 6, client: 2, command: 1, method: 'Page.enable' },
  response(9, 'r1', 200),
  { kind: 'command.done', t: 10, client: 1, command: 1, ms: 9, error: 'No frame' },
  { kind: 'action', t: 11, client: 1, from: 4, ms: 7, name: 'click', target: '#buy', error: 'Not there' },
  { kind: 'action', t: 12, client: 1, from: 1, ms: 9, name: 'goto', detail: 'http://a.test/' },
  { kind: 'picture', t: 12, chunk: 0, picture: 0, width: 1, height: 1 },
  { kind: 'request.done', t: 12, id: 'r1', bytes: 900 },
  { kind: 'console', t: 13, level: 'error', text: 'Oh no' },
  { kind: 'request.done', t: 13, id: 'unknown', bytes: 1 },
  request(14, 'r2', 'http://a.test/gone'),
  { kind: 'request.failed', t: 16, id: 'r2', error: 'net::ERR_FAILED', isCanceled: false },
  request(17, 'r3', 'http://a.test/left'),
  { kind: 'request.failed', t: 18, id: 'r3', error: 'net::ERR_ABORTED', isCanceled: true },
];

test('commands and requests are joined with what came of them, a redirect in two rows', () => {
  const rows = rowsOf(events);
  expect(rows.commands.map(({ command, done }) => [command.client, done?.ms])).toEqual([
    [1, 9],
    [2, undefined],
  ]);
  expect(rows.network.map(({ request, response, endMs }) => [request.url, response?.status, endMs])).toEqual([
    ['http://a.test/', 301, 6],
    ['http://a.test/home', 200, 12],
    ['http://a.test/gone', undefined, 16],
    ['http://a.test/left', undefined, 18],
  ]);
  expect(rows.events.map(({ event }) => event.kind)).toEqual(['start']);
});

test('actions are in the order in which they began', () => {
  expect(rowsOf(events).actions.map(({ t, action }) => [t, action.name])).toEqual([
    [1, 'goto'],
    [4, 'click'],
  ]);
});

test('errors are when they happened; what was canceled, and a command that failed, is none', () => {
  expect(rowsOf(events).errors).toEqual([11, 13, 16]);
});

test('a search finds the rows that have every word, in addresses, headers, parameters and errors', () => {
  const rows = rowsOf(events);
  const found = (words: string) => [
    ...search(rows.commands, words).map(({ command }) => command.method),
    ...search(rows.network, words).map(({ request }) => request.url),
    ...search(rows.console, words).map(({ event }) => event.text),
  ];
  expect(found('NO FRAME')).toEqual(['Page.navigate']);
  expect(found('fern home')).toEqual(['http://a.test/home']);
  expect(found('oh no')).toEqual(['Oh no']);
  expect(found('301')).toEqual(['http://a.test/']);
  expect(found('nowhere')).toEqual([]);
  expect(found('  ')).toHaveLength(7);
});

test('tabs are those that were open then, with the one in front', () => {
  const tabs: RecordedEvent[] = [
    { kind: 'tab.opened', t: 0, tab: 1, url: 'about:blank' },
    { kind: 'tab.changed', t: 5, tab: 1, url: 'http://a.test', title: 'A' },
    { kind: 'tab.opened', t: 10, tab: 2, url: 'http://b.test' },
    { kind: 'tab.shown', t: 11, tab: 2 },
    { kind: 'tab.closed', t: 20, tab: 2 },
    { kind: 'picture', t: 21, tab: 1, chunk: 0, picture: 0, width: 1, height: 1 },
  ];
  expect(tabsAt(tabs, 7)).toEqual([{ tab: 1, url: 'http://a.test', title: 'A', isShown: true }]);
  expect(tabsAt(tabs, 12).map(({ tab, isShown }) => [tab, isShown])).toEqual([
    [1, false],
    [2, true],
  ]);
  expect(tabsAt(tabs, 30).map(({ tab, isShown }) => [tab, isShown])).toEqual([[1, true]]);
});
