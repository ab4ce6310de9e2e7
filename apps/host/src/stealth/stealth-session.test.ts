import { describe, expect, test } from 'vitest';
import { expectLinear } from '../../../../tests/fixtures/suite/cost.ts';
import { DetectableStrings } from './detectable-strings.ts';
import { Room } from './room.ts';
import { StealthSession } from './stealth-session.ts';

const sessionId = 'A'.repeat(32);
const frame = { id: 'F', securityOrigin: 'http://site.test' };
const maxHeld = 32 * 2 ** 20;
type Json = Record<string, any>;

/** A session between a client and a browser that are played by the test. */
class Played {
  readonly toBrowser: Json[] = [];
  readonly toClient: Json[] = [];
  /** Bytes that it holds. */
  held = 0;
  readonly room = new Room({
    take: (bytes) => {
      this.held += bytes;
      return this.held <= maxHeld;
    },
    add: (bytes) => {
      this.held += bytes;
    },
  });
  readonly #session = new StealthSession(
    sessionId,
    new DetectableStrings(),
    {
      toBrowser: (text) => this.toBrowser.push(JSON.parse(text)),
      toClient: (text) => this.toClient.push(JSON.parse(text)),
    },
    this.room,
  );

  client(method: string, params: object = {}, id = 1): void {
    const message = Buffer.from(JSON.stringify({ id, method, params, sessionId }));
    const other = this.#session.fromClient(message);
    const sent = other === undefined ? message : other;
    if (sent) this.toBrowser.push(JSON.parse(sent.toString()));
  }

  browser(message: object): void {
    const bytes = Buffer.from(`..${JSON.stringify({ ...message, sessionId })}..`);
    const other = this.#session.fromBrowser(bytes, 2, bytes.length - 2);
    const delivered = other === undefined ? bytes.subarray(2, -2) : other;
    if (delivered) this.toClient.push(JSON.parse(delivered.toString()));
  }

  raw(text: string): Buffer | null | undefined {
    return this.#session.fromClient(Buffer.from(text));
  }

  /** Answers the host's last command of this method. */
  answer(method: string, answer: object): void {
    const { id } = this.toBrowser.findLast((command) => command['method'] === method) as Json;
    this.browser({ id, ...answer });
  }

  enable(): void {
    this.client('Page.enable');
    this.client('Runtime.enable', {}, 7);
    this.answer('Page.getFrameTree', { result: { frameTree: { frame } } });
    this.answer('Runtime.evaluate', { result: { result: { objectId: '1.4.1' } } });
  }

  get methods(): string[] {
    return this.toBrowser.map(({ method }) => method);
  }

  get heard(): string[] {
    return this.toClient.map(({ id, method }) => method ?? `answer ${id}`);
  }
}

describe('a CDP session of a client', () => {
  test('the Runtime domain is enabled for the client and never in the browser', () => {
    const played = new Played();
    played.enable();
    expect(played.methods).not.toContain('Runtime.enable');
    expect(played.heard).toEqual(['Runtime.executionContextCreated', 'answer 7']);
    played.client('Runtime.enable', {}, 8);
    expect(played.heard.at(-1)).toBe('answer 8');
  });

  test('a worker has its one context, found without a frame', () => {
    const played = new Played();
    played.client('Runtime.enable', {}, 7);
    played.answer('Page.getFrameTree', { error: { code: -32601, message: "wasn't found" } });
    played.answer('Runtime.evaluate', { result: { result: { objectId: '1.1.1' } } });
    expect(played.heard).toEqual(['Runtime.executionContextCreated', 'answer 7']);
  });

  test('what has no scripts answers as Chromium does', () => {
    const played = new Played();
    const error = { code: -32601, message: "'Runtime.evaluate' wasn't found" };
    played.client('Runtime.enable', {}, 7);
    played.answer('Page.getFrameTree', { error });
    played.answer('Runtime.evaluate', { error });
    expect(played.toClient).toEqual([{ id: 7, error, sessionId }]);
  });

  test("a navigation ends contexts, and then the new document's are found, the client's worlds too", () => {
    const played = new Played();
    played.enable();
    const worldName = '__playwright_utility_world_page@1';
    played.client('Page.addScriptToEvaluateOnNewDocument', { source: '', worldName });
    played.toClient.length = 0;
    played.browser({ method: 'Page.frameNavigated', params: { frame, type: 'Navigation' } });
    expect(played.heard).toEqual(['Runtime.executionContextsCleared', 'Page.frameNavigated']);
    played.answer('Page.createIsolatedWorld', { result: { executionContextId: 6 } });
    const world = played.toClient.at(-1)?.['params'].context;
    expect(world).toMatchObject({ id: 6, name: worldName, auxData: { isDefault: false, frameId: 'F' } });
    expect(JSON.stringify(played.toBrowser)).not.toContain('playwright');
  });

  test('a world that the client creates is announced before the answer', () => {
    const played = new Played();
    played.enable();
    const worldName = '__puppeteer_utility_world__25';
    played.client('Page.createIsolatedWorld', { frameId: 'F', worldName }, 9);
    played.browser({ id: 9, result: { executionContextId: 5 } });
    expect(played.heard.slice(-2)).toEqual(['Runtime.executionContextCreated', 'answer 9']);
    expect(played.toClient.at(-2)?.['params'].context.name).toBe(worldName);
    expect(JSON.stringify(played.toBrowser)).not.toContain('puppeteer');
  });

  test('events of the Page domain are delivered only to a client that enabled it', () => {
    const played = new Played();
    played.client('Runtime.enable', {}, 7);
    played.browser({ method: 'Page.frameStoppedLoading', params: { frameId: 'F' } });
    expect(played.heard).toEqual([]);
    played.client('Page.enable');
    played.browser({ method: 'Page.frameStoppedLoading', params: { frameId: 'F' } });
    expect(played.heard).toEqual(['Page.frameStoppedLoading']);
  });

  test('a binding is added to each new document, and called by the name that the client gave it', () => {
    const played = new Played();
    played.enable();
    played.client('Runtime.addBinding', { name: 'puppeteer_ask' });
    const { name } = played.toBrowser.at(-1)?.['params'] ?? {};
    expect(name).toMatch(/^[a-zA-Z]{10}ask$/);
    played.toBrowser.length = 0;
    played.browser({ method: 'Page.frameNavigated', params: { frame, type: 'Navigation' } });
    const added = played.toBrowser.filter(({ method }) => method === 'Runtime.addBinding');
    expect(added.map(({ params }) => params.name)).toContain(name);
    const called = { payload: '{}', executionContextId: 9 };
    played.browser({ method: 'Runtime.bindingCalled', params: { name, ...called } });
    expect(played.heard.at(-1)).toBe('Page.frameNavigated');
    played.answer('Runtime.evaluate', { result: { result: { objectId: '1.9.1' } } });
    const heard = played.heard.slice(-3);
    expect(heard.slice(0, 2)).toEqual(['Runtime.executionContextCreated', 'Runtime.bindingCalled']);
    expect(played.toClient.at(-2)?.['params']).toEqual({ name: 'puppeteer_ask', ...called });
  });

  test('a client hears of the console once what is missing, and then what is written', () => {
    const played = new Played();
    played.enable();
    const message = { source: 'console-api', level: 'error', text: 'written' };
    played.browser({ method: 'Page.frameNavigated', params: { frame, type: 'Navigation' } });
    played.browser({ method: 'Console.messageAdded', params: { message } });
    played.answer('Runtime.evaluate', { result: { result: { objectId: '1.9.1' } } });
    const called = played.toClient.filter(({ method }) => method === 'Runtime.consoleAPICalled');
    expect(called.map(({ params }) => params.type)).toEqual(['error', 'warning']);
    expect(called[0]?.['params']).toMatchObject({ executionContextId: 9, args: [{ value: 'written' }] });
    expect(played.heard).not.toContain('Console.messageAdded');
  });

  test('messages that could hide a command are not sent', () => {
    const played = new Played();
    expect(played.raw('{"id":1,/* */"method":"Runtime.enable"}')).toBeNull();
    expect(played.raw('{"method":"Runtime.enable"}')).toBeNull();
    expect(
      played.raw(`{"id":1,"method":"Runtime.enable","params":{"x":"${'x'.repeat(5 * 2 ** 20)}"}}`),
    ).toBeNull();
    expect(played.raw('{"id":1,"method":"Runtime.getHeapUsage"}')).toBeUndefined();
  });

  test('a disabled domain tells nothing more', () => {
    const played = new Played();
    played.enable();
    played.client('Runtime.disable', {}, 9);
    expect(played.methods).not.toContain('Runtime.disable');
    played.browser({ method: 'Page.frameNavigated', params: { frame, type: 'Navigation' } });
    expect(played.heard.slice(-2)).toEqual(['answer 9', 'Page.frameNavigated']);
  });
});

describe('what is held for a CDP session', () => {
  const [long, large] = ['x'.repeat(5000), 'x'.repeat(100_000)];
  const some = 2 ** 20;

  test('does not grow with the names that a client gives', () => {
    const played = new Played();
    played.enable();
    for (let id = 10; id < 600; id++) {
      played.client('Page.createIsolatedWorld', { frameId: long, worldName: `${id}${long}` }, id);
      played.client('Page.addScriptToEvaluateOnNewDocument', {
        source: '',
        worldName: `playwright${id}${long}`,
      });
      played.client('Runtime.addBinding', { name: `${id}${long}` });
      played.client('Runtime.addBinding', { name: `puppeteer_${id}`, executionContextName: `${id}${long}` });
      played.toBrowser.length = 0;
    }
    expect(played.held).toBeLessThan(some);
  });

  test('has room for what a page does before its context is known, and no more', () => {
    const played = new Played();
    played.enable();
    played.browser({ method: 'Page.frameNavigated', params: { frame, type: 'Navigation' } });
    const message = { source: 'console-api', level: 'log', text: large };
    for (let i = 0; i < 200; i++) {
      played.browser({ method: 'Console.messageAdded', params: { message } });
      const call = { name: 'ask', payload: large, executionContextId: 9 };
      played.browser({ method: 'Runtime.bindingCalled', params: call });
    }
    expect(played.held).toBeGreaterThan(some);
    expect(played.held).toBeLessThan(6 * some);
    played.answer('Runtime.evaluate', { result: { result: { objectId: '1.9.1' } } });
    expect(played.held).toBeLessThan(some);
  });

  test('is given back when the frame, the answer or the session has come to its end', () => {
    const played = new Played();
    played.enable();
    const before = played.held;
    for (let i = 0; i < 100; i++) {
      const child = { frameId: `C${i}`, parentFrameId: 'F' };
      played.browser({ method: 'Page.frameAttached', params: child });
      played.answer('DOM.getFrameOwner', { error: { code: -32000, message: 'gone' } });
      played.client('Page.createIsolatedWorld', { frameId: `C${i}`, worldName: 'mine' }, 100 + i);
      played.browser({ id: 100 + i, result: { executionContextId: 50 + i } });
    }
    expect(played.held).toBeGreaterThan(before + 100 * 600);
    for (let i = 0; i < 100; i++) {
      played.browser({ method: 'Page.frameDetached', params: { frameId: `C${i}` } });
    }
    expect(played.held).toBe(before);
    played.room.close();
    expect(played.held).toBe(0);
  });
});

test.each<[string, (text: string) => string]>([
  [
    'spaces before an id',
    (text) => `{"id":1,"method":"Runtime.evaluate","params":{"uniqueContextId":${text}`,
  ],
  ['names of the id', (text) => `{"id":1,"method":"Runtime.evaluate","params":{${text}}}`],
  ['digits', (text) => `{"id":1,"method":"Runtime.evaluate","params":{"uniqueContextId":"${text}"}}`],
])('the cost of %s grows with their length', async (what, message) => {
  const piece = { 'spaces before an id': ' ', digits: '1' }[what] ?? '"uniqueContextId":"1.0",';
  const played = new Played();
  const input = (size: number) => message(piece.repeat(size / piece.length));
  await expectLinear(input, (text) => played.raw(text), { from: 2 ** 13, to: 2 ** 18 });
});

test.each([
  ['Runtime.evaluate', 'contextId'],
  ['Runtime.callFunctionOn', 'executionContextId'],
])('%s names a context by %s', (method, member) => {
  const played = new Played();
  played.client(method, { uniqueContextId: '4.0' });
  expect(played.toBrowser.at(-1)?.['params']).toEqual({ [member]: 4 });
});

test('a console message without a place has no stack', () => {
  const played = new Played();
  played.enable();
  played.browser({ method: 'Console.messageAdded', params: { message: { level: 'log', text: 'written' } } });
  const called = played.toClient.find(({ method }) => method === 'Runtime.consoleAPICalled');
  expect(called?.['params']).not.toHaveProperty('stackTrace');
});

test("a frame that does not navigate has its first document's contexts", () => {
  const played = new Played();
  played.enable();
  const asks = () => played.methods.filter((method) => method === 'DOM.describeNode').length;
  for (const frameId of ['stays', 'navigates']) {
    played.browser({ method: 'Page.frameAttached', params: { frameId, parentFrameId: 'F' } });
    if (frameId === 'navigates')
      played.browser({ method: 'Page.frameRequestedNavigation', params: { frameId, url: '/' } });
    played.answer('DOM.getFrameOwner', { result: { backendNodeId: 1 } });
    if (frameId === 'stays') played.answer('DOM.getFrameOwner', { result: { backendNodeId: 1 } });
    expect(asks()).toBe(1);
  }
});
