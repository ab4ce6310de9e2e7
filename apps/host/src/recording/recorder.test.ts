import { gunzipSync } from 'node:zlib';
import type { OpenRequest } from '@turnpike/contract/host';
import type { RecordedEvent } from '@turnpike/contract/recording';
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Controller } from '../chromium/controller.ts';
import { hrtimeMs } from '../native/hrtime.ts';
import { Targets } from '../targets/targets.ts';
import { MemorySink } from '../testing/memory-sink.ts';
import { attachedTarget } from '../testing/scripted-browser.ts';
import { newRequest } from '../testing/test-host.ts';
import { EndingRecordings } from './ending-recordings.ts';
import { Recorder } from './recorder.ts';

const proxy = { scheme: 'http', host: 'proxy.test', port: 1, username: 'proxy-user', addresses: [] } as const;
const pageSession = 'A'.repeat(32);

interface Recording {
  recorder: Recorder;
  sink: MemorySink;
  sessionId: string;
  /** Has the browser say something, in the first page's CDP session. */
  say(method: string, params: object, cdpSessionId?: string): void;
  /** Commands that the browser got. */
  sent: string[];
  ask(method: string, params: object, id?: number): void;
  end(): Promise<RecordedEvent[]>;
}

function record(
  params: Partial<OpenRequest['params']> = {},
  request = newRequest({ ...proxy, password: 'proxy-pass-1' }),
  logger = pino({ level: 'silent' }),
): Recording {
  const sink = new MemorySink();
  const sent: string[] = [];
  const controller = new Controller({ send: (message) => void sent.push(message) });
  const full = { ...request, params: { ...request.params, record: true, recordPictures: 0, ...params } };
  const targets = new Targets(controller, logger);
  const recorder = new Recorder({
    ...{ request: full, controller, targets, sink, endings: new EndingRecordings(), logger },
  });
  onTestFinished(() => recorder.abandon());
  targets.start(new AbortController().signal).catch(() => {}); // Nobody answers.
  const { sessionId } = request;
  const page = attachedTarget({ targetId: 'page-1', sessionId: pageSession });
  controller.receive(JSON.stringify({ method: 'Target.attachedToTarget', params: page }));
  recorder.connected(7, undefined);
  targets.clients.connected(7, 'root', undefined);
  targets.clients.attached(7, { ...page, sessionId: 'client-session', waitingForDebugger: false }, 'root');
  let commands = 0;
  return {
    ...{ recorder, sink, sessionId, sent },
    say: (method, eventParams, cdpSessionId = pageSession) =>
      controller.receive(JSON.stringify({ method, params: eventParams, sessionId: cdpSessionId })),
    ask: (method, commandParams, id = ++commands) =>
      recorder.tapped({
        ...{
          clientId: 7,
          from: 'client',
          isWhole: true,
          cdpSessionId: undefined,
          at: hrtimeMs(),
          dropped: 0,
        },
        text: JSON.stringify({ id, method, params: commandParams, sessionId: 'client-session' }),
      }),
    async end() {
      await recorder.end('closed');
      return sink.events(sessionId);
    },
  };
}

const request = (id: string, more: object = {}) => ({
  requestId: id,
  type: 'Document',
  initiator: { type: 'other' },
  request: { url: `http://site.test/${id}`, method: 'GET', headers: {}, ...more },
});
const response = { status: 200, statusText: 'OK', headers: {}, mimeType: 'text/html', protocol: 'http/1.1' };

test('a request, its redirect, its response and its end are events under one id', async () => {
  const { say, end } = record();
  say('Network.requestWillBeSent', request('1'));
  say('Network.requestWillBeSent', {
    ...request('1'),
    redirectResponse: { ...response, status: 302, encodedDataLength: 50 },
  });
  say('Network.responseReceived', { requestId: '1', response });
  say('Network.loadingFinished', { requestId: '1', encodedDataLength: 300 });
  say('Network.requestWillBeSent', request('2'));
  say('Network.loadingFailed', { requestId: '2', errorText: 'net::ERR_FAILED' });
  const events = (await end()).filter((event) => 'id' in event);
  expect(events).toMatchObject([
    { kind: 'request', id: '1', tab: 1, isRedirect: false },
    { kind: 'response', id: '1', status: 302 },
    { kind: 'request.done', id: '1', bytes: 50 },
    { kind: 'request', id: '1', isRedirect: true },
    { kind: 'response', id: '1', status: 200 },
    { kind: 'request.done', id: '1', bytes: 300 },
    { kind: 'request', id: '2' },
    { kind: 'request.failed', id: '2', error: 'net::ERR_FAILED', isCanceled: false },
  ]);
});

test('with stealth neither console nor exceptions are asked for, and the recording says so', async () => {
  for (const stealth of [true, false]) {
    const { sent, end } = record({ stealth });
    const commands = sent.map((text) => JSON.parse(text) as { method: string; sessionId?: string });
    const methods = commands.filter(({ sessionId }) => sessionId === pageSession).map(({ method }) => method);
    expect(methods.includes('Network.enable')).toBe(true);
    expect(methods.includes('Runtime.enable')).toBe(!stealth);
    expect((await end())[0]).toMatchObject({ kind: 'start', stealth });
  }
});

test('commands have the times and answers that the switchboard reports, also where ids repeat', async () => {
  const { recorder, end } = record();
  const at = hrtimeMs();
  const tap = (
    from: 'client' | 'browser',
    message: object,
    cdpSessionId: string | undefined,
    afterMs: number,
  ) =>
    recorder.tapped({
      ...{ clientId: 7, from, text: JSON.stringify(message), isWhole: true, cdpSessionId, dropped: 0 },
      at: at + afterMs,
    });
  tap('client', { id: 1, method: 'Page.navigate', params: { url: 'http://a.test/' } }, 'client-session', 0);
  tap('client', { id: 1, method: 'Target.getTargets' }, undefined, 1);
  tap('browser', { id: 1, error: { message: 'no' } }, undefined, 3);
  tap('browser', { id: 1, result: { frameId: 'C'.repeat(32) } }, 'client-session', 12.5);
  tap('client', { id: 2, method: 'Browser.getVersion' }, undefined, 13);
  recorder.answered(7, JSON.stringify({ id: 2, result: {} }));
  const events = (await end()).filter(({ kind }) => kind.startsWith('command'));
  expect(events).toMatchObject([
    {
      kind: 'command',
      client: 1,
      command: 1,
      tab: 1,
      method: 'Page.navigate',
      params: { url: 'http://a.test/' },
    },
    { kind: 'command', client: 1, command: 2, method: 'Target.getTargets' },
    { kind: 'command.done', command: 2, ms: 2, error: 'no' },
    { kind: 'command.done', command: 1, ms: 12.5, tab: 1, result: { frameId: 'C'.repeat(32) } },
    { kind: 'command', command: 3 },
    { kind: 'command.done', command: 3 },
  ]);
});

test('a large command is recorded by its first and last bytes', async () => {
  const { recorder, end } = record();
  const tap = (text: string) =>
    recorder.tapped({
      ...{ clientId: 7, from: 'client', text, isWhole: false, cdpSessionId: 'client-session' },
      ...{ at: hrtimeMs(), dropped: 3 },
    });
  tap('{"id":5,"method":"Runtime.evaluate","params":{"expression":"\n"}}');
  tap('{"method":"Runtime.evaluate","params":{"expression":"\n"},"id":6,"sessionId":"X"}');
  for (const id of [5, 6]) {
    recorder.tapped({
      ...{
        clientId: 7,
        from: 'browser',
        isWhole: false,
        cdpSessionId: 'client-session',
        at: hrtimeMs(),
        dropped: 0,
      },
      text: `{"id":${id},"result":{"value":"\n"}}`,
    });
  }
  const events = await end();
  expect(events.filter(({ kind }) => kind === 'command.done')).toHaveLength(2);
  expect(events).toContainEqual(expect.objectContaining({ kind: 'dropped', what: 'events', count: 6 }));
});

test('no secret is in a stored byte, wherever it was seen and wherever it turns up', async () => {
  const text = fc
    .string({ minLength: 12, maxLength: 30, unit: 'grapheme-ascii' })
    .filter((one) => /^[^\s;,"\\&<>]+$/.test(one) && /[a-z]/i.test(one) && /\d/.test(one));
  const ten = fc.uniqueArray(text, { minLength: 10, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(ten, async (secrets) => {
      const [cookie, bearer, password, typed, setCookie, inUrl, header, proxyPassword, ofRule, added] =
        secrets as [...[string, string, string, string, string, string, string, string, string, string]];
      const opened = {
        ...newRequest({ ...proxy, password: proxyPassword }),
        proxyRules: [{ hosts: ['a.test'], proxy: { ...proxy, password: ofRule } }],
      };
      const { say, ask, end, sink, sessionId, recorder } = record({ recordBodies: true }, opened);
      recorder.proxyAdded({ ...proxy, password: added });
      say('Runtime.consoleAPICalled', {
        type: 'log',
        args: [{ type: 'string', value: `early ${cookie} ${proxyPassword}` }],
      });
      say('Network.requestWillBeSent', {
        ...request('1', {
          url: `http://joe:${encodeURIComponent(password)}@site.test/?token=${encodeURIComponent(inUrl)}`,
          headers: { Authorization: `Bearer ${bearer}`, 'X-Own': header },
          postData: new URLSearchParams({ user: 'joe', password }).toString(),
        }),
      });
      say('Network.requestWillBeSentExtraInfo', { requestId: '1', headers: { Cookie: `sid=${cookie}` } });
      ask('Input.insertText', { text: typed });
      ask('Network.setCookies', { cookies: [{ name: 'a', value: setCookie, domain: 'site.test' }] });
      ask('Network.setExtraHTTPHeaders', { headers: { 'X-Token': header } });
      ask('Runtime.evaluate', { expression: `login('${password}')` });
      const everything = secrets.join(' ');
      const all = `${everything} ${opened.cdpId} ${opened.viewerToken} ${encodeURIComponent(everything)}`;
      say('Runtime.consoleAPICalled', { type: 'log', args: [{ type: 'string', value: all }] });
      say('Runtime.exceptionThrown', {
        exceptionDetails: { text: all, lineNumber: 1, url: `http://a.test/${inUrl}` },
      });
      say('Page.javascriptDialogOpening', { type: 'alert', message: all });
      say('Network.responseReceived', {
        requestId: '1',
        response: { ...response, statusText: all, headers: { Server: all } },
      });
      recorder.answered(7, JSON.stringify({ id: 1, sessionId: 'client-session', error: { message: all } }));
      const events = await end();
      expect(events.at(-1)).toMatchObject({ kind: 'end' });
      const stored = sink
        .of(sessionId)
        .map((chunk) => gunzipSync(chunk.events).toString())
        .join('');
      for (const one of [...secrets, opened.cdpId, opened.viewerToken]) {
        for (const form of [one, encodeURIComponent(one), JSON.stringify(one).slice(1, -1)])
          expect(stored).not.toContain(form);
      }
    }),
    { numRuns: 50 },
  );
});

test('what a page floods is dropped and counted, and chunks stay within their bounds', async () => {
  const { say, end, sink, sessionId } = record();
  const value = 'word '.repeat(800);
  for (let i = 0; i < 3000; i++)
    say('Runtime.consoleAPICalled', { type: 'log', args: [{ type: 'string', value }] });
  const events = await end();
  const kept = events.filter(({ kind }) => kind === 'console').length;
  expect(events).toContainEqual(
    expect.objectContaining({ kind: 'dropped', what: 'events', count: 3000 - kept }),
  );
  const chunks = sink.of(sessionId);
  expect(chunks.map(({ index }) => index)).toEqual(chunks.map((_, index) => index));
  for (const chunk of chunks) expect(gunzipSync(chunk.events).length).toBeLessThanOrEqual(2 ** 20);
  expect(chunks.reduce((sum, { summary }) => sum + summary.events, 0)).toBe(events.length);
});

test('a chunk that cannot be stored is repeated; a full recording stops', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { recorder, say, end, sink, sessionId } = record();
  recorder.run();
  sink.answers.push(new Error('not now'), 'stored', 'full');
  vi.advanceTimersByTime(2000);
  say('Page.javascriptDialogOpening', { type: 'alert', message: 'second' });
  vi.advanceTimersByTime(2000);
  await vi.waitUntil(() => sink.answers.length === 0, { timeout: 10_000 });
  say('Page.javascriptDialogOpening', { type: 'alert', message: 'too late' });
  await end();
  expect(sink.of(sessionId)).toMatchObject([{ index: 0, isLast: false }]);
  expect(sink.text(sessionId)).not.toContain('second');
});

test('errors are counted in the summary', async () => {
  const { say, ask, recorder, end, sink, sessionId } = record();
  say('Runtime.exceptionThrown', { exceptionDetails: { text: 'Uncaught', lineNumber: 1 } });
  say('Runtime.consoleAPICalled', { type: 'error', args: [] });
  say('Runtime.consoleAPICalled', { type: 'log', args: [] });
  say('Target.targetCrashed', { targetId: 'page-1', status: 'crashed', errorCode: 11 });
  say('Network.requestWillBeSent', request('2'));
  say('Network.loadingFailed', { requestId: '2', errorText: 'net::ERR_ABORTED', canceled: true });
  ask('Page.navigate', { url: 'x' }, 9);
  recorder.answered(7, JSON.stringify({ id: 9, sessionId: 'client-session', error: { message: 'no' } }));
  await end();
  expect(sink.of(sessionId)).toMatchObject([{ summary: { errors: 4 }, isLast: true }]);
});

test('what a person does is recorded once a second for each kind', async () => {
  const { recorder, end } = record();
  for (let i = 0; i < 5; i++) recorder.personActed('pointer');
  recorder.personActed('keys');
  expect((await end()).filter(({ kind }) => kind === 'person')).toMatchObject([
    { action: 'pointer' },
    { action: 'keys' },
  ]);
});

test('an event that cannot be read is counted, and ends nothing', async () => {
  const { say, recorder, end } = record();
  say('Network.requestWillBeSent', { requestId: '1' });
  say('Runtime.exceptionThrown', {});
  const message = {
    clientId: 7,
    from: 'client',
    text: '[1',
    isWhole: true,
    cdpSessionId: undefined,
  } as const;
  recorder.tapped({ ...message, at: hrtimeMs(), dropped: 0 });
  say('Page.javascriptDialogOpening', { type: 'alert', message: 'still here' });
  const events = await end();
  expect(events).toContainEqual(expect.objectContaining({ kind: 'dialog', message: 'still here' }));
  expect(events).toContainEqual(expect.objectContaining({ kind: 'dropped', what: 'events', count: 2 }));
});

test('commands with names of any object’s members are recorded, and nothing is logged', async () => {
  const logged: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line) => void logged.push(line) });
  const { ask, end } = record({}, undefined, logger);
  const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];
  for (const name of names) ask(name, { [name]: name, a: 1 });
  const commands = (await end()).filter((event) => event.kind === 'command');
  expect(commands.map(({ method }) => method)).toEqual(names);
  expect(logged).toEqual([]);
});

test('events that cannot be recorded are logged a few times, however many there are', async () => {
  const logged: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line) => void logged.push(line) });
  const { say, end } = record({}, undefined, logger);
  for (let i = 0; i < 1000; i++) say('Runtime.exceptionThrown', {});
  expect(await end()).toContainEqual(expect.objectContaining({ kind: 'dropped', count: 1000 }));
  expect(logged).toHaveLength(3);
});

test('what clients make up is no key: sessions that they do not have, and ids that are no numbers', async () => {
  const { recorder, end } = record();
  const tap = (message: object) =>
    recorder.tapped({
      ...{ clientId: 7, from: 'client', isWhole: true, cdpSessionId: undefined, at: hrtimeMs(), dropped: 0 },
      text: JSON.stringify(message),
    });
  const key = { method: 'Input.dispatchKeyEvent', params: { type: 'char', text: 'a' } };
  for (let i = 0; i < 50; i++) {
    tap({ id: i, ...key, sessionId: `${i}-${'x'.repeat(10_000)}` });
    tap({ id: `${i}-${'x'.repeat(10_000)}`, ...key, sessionId: 'client-session' });
  }
  expect(recorder.held).toEqual({ pending: 0, typed: 1 });
  tap({ id: 1, ...key, sessionId: 'client-session' });
  tap({ id: 2, ...key });
  expect(recorder.held).toEqual({ pending: 2, typed: 2 });
  recorder.detached(['client-session']);
  expect(recorder.held).toEqual({ pending: 1, typed: 1 });
  recorder.disconnected(7);
  expect(recorder.held).toEqual({ pending: 0, typed: 0 });
  const commands = (await end()).filter(({ kind }) => kind === 'command');
  expect(commands).toHaveLength(102);
});

test('of more commands without an answer than are kept the oldest are forgotten', async () => {
  const { recorder, ask } = record();
  for (let i = 1; i <= 6000; i++) ask('Page.enable', {}, i);
  expect(recorder.held.pending).toBeLessThanOrEqual(5000);
});

test('what comes too fast to be looked through is dropped unread until the next tick', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { recorder, say, end } = record();
  recorder.run();
  const postData = 'password=taught-secret-1&x='.padEnd(60_000, 'y');
  for (let i = 0; i < 100; i++) say('Network.requestWillBeSent', request(`${i}`, { postData }));
  const late = 'password=taught-too-late-2';
  say('Network.requestWillBeSent', request('late', { postData: late }));
  say('Page.javascriptDialogOpening', { type: 'alert', message: 'dropped' });
  vi.advanceTimersByTime(2000);
  say('Page.javascriptDialogOpening', { type: 'alert', message: 'taught-secret-1 taught-too-late-2' });
  const events = await end();
  const requests = events.filter(({ kind }) => kind === 'request').length;
  expect(requests).toBeLessThan(40);
  expect(events).toContainEqual(
    expect.objectContaining({ kind: 'dropped', what: 'events', count: 102 - requests }),
  );
  expect(events.filter(({ kind }) => kind === 'dialog')).toMatchObject([
    { message: '••• taught-too-late-2' },
  ]);
});

test('a title that is an address, or has one, is masked as one', async () => {
  const { say, end } = record();
  const titles = [
    ['http://127.0.0.1:29090/shop?user=joe&pw=secret', '127.0.0.1:29090/shop?user=joe&pw=secret'],
    ['http://a.test/?token=my%20pw', 'a.test/?token=my pw'],
    ['https://www.a.test/?pin=1234&page=2', 'a.test/?pin=1234&page=2'],
    ['http://a.test/', 'Loading http://joe:pw@b.test/x?code=99 …'],
    ['http://a.test/', 'b.test/x?code=99'],
    ['http://a.test/', 'Shop: 1 + 1 = 2? Yes/No'],
  ];
  for (const [url, title] of titles)
    say('Target.targetInfoChanged', { targetInfo: { targetId: 'page-1', type: 'page', url, title } });
  const shown = (await end()).filter((event) => event.kind === 'tab.changed').map(({ title }) => title);
  expect(shown).toEqual([
    '127.0.0.1:29090/shop?user=joe&pw=•••',
    'a.test/?token=•••',
    'a.test/?pin=•••&page=2',
    'Loading http://b.test/x?code=••• …',
    'b.test/x?code=•••',
    'Shop: 1 + 1 = 2? Yes/No',
  ]);
});

test('the end of a recording is sent again for minutes while it cannot be stored', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { say, recorder, sink, sessionId } = record();
  sink.answers.push(new Error('away'));
  say('Page.javascriptDialogOpening', { type: 'alert', message: 'at the end' });
  const ended = recorder.end('closed');
  vi.advanceTimersByTime(9 * 60_000);
  await ended;
  expect(sink.events(sessionId).at(-1)).toMatchObject({ kind: 'end', reason: 'closed' });
  expect(sink.text(sessionId)).toContain('at the end');
});
