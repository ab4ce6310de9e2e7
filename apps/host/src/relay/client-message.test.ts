import fc from 'fast-check';
import { expect, it } from 'vitest';
import { expectLinear } from '../../../../tests/fixtures/suite/cost.ts';
import { concernsHost } from '../switchboard/concerns-host.ts';
import {
  type ClientRights,
  changeSessionMessage,
  type MessageRoute,
  maxReadBytes,
  routeMessage,
} from './client-message.ts';

const own = 'A'.repeat(32);
const foreign = 'B'.repeat(32);

const rights = {
  owns: (cdpSessionId: string) => cdpSessionId === own,
  mayNotAttach: () => undefined,
  mayLoadExtensions: true,
};
const full = { ...rights, mayNotAttach: () => 'too many' };

function routeOf(message: string | object, given: ClientRights = rights): MessageRoute {
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  return routeMessage(Buffer.from(text), given);
}

function errorOf(route: MessageRoute): unknown {
  return route.to === 'client' ? JSON.parse(route.answer) : undefined;
}

it.each([
  ['at the end', { id: 1, method: 'Page.enable', sessionId: own }],
  ['before the id', { method: 'Page.enable', sessionId: own, id: 1 }],
  ['in front', { sessionId: own, id: 1, method: 'Page.enable', params: {} }],
  ['with spaces', `{ "id": 1, "method": "Page.enable", "sessionId": "${own}" }\n`],
])("a client's own session passes, named %s", (_where, message) => {
  expect(routeOf(message)).toEqual({ to: 'session', cdpSessionId: own });
});

it.each([
  ['at the end', { id: 7, method: 'Page.enable', sessionId: foreign }],
  ['in front', { sessionId: foreign, id: 7, method: 'Page.enable' }],
])('a session of another is not found, named %s', (_where, message) => {
  expect(errorOf(routeOf(message))).toEqual({
    id: 7,
    error: { code: -32001, message: 'Session with given id not found.' },
  });
});

it('a message without a session is for the connection itself, and ends at its last brace', () => {
  const text = '{"id":1,"method":"Target.getTargets"}';
  expect(routeOf(`${text} \n`)).toMatchObject({ to: 'root', end: text.length - 1 });
});

it('what the host knows better is its own to do, when asked of the connection itself', () => {
  const params = { url: 'https://example.com/' };
  const message = { id: 1, method: 'Target.createTarget', params };
  expect(routeOf(message)).toEqual({ ...message, to: 'host' });
  expect(routeOf({ ...message, sessionId: own })).toEqual({ to: 'session', cdpSessionId: own });
  expect(routeOf({ id: 2, method: 'Browser.getVersion', params: 5 })).toMatchObject({
    to: 'host',
    params: {},
  });
});

it.each([
  ['no JSON', '{"id":', -32700],
  ['no object', '[1]', -32700],
  ['no id', '{}', -32600],
  ['an id that is no integer', '{"id":"1","method":"a"}', -32600],
  ['no method', '{"id":1}', -32600],
  ['a session that is no text', '{"id":1,"method":"a","sessionId":5}', -32600],
])('%s is answered with an error', (_what, text, code) => {
  expect(errorOf(routeOf(text))).toMatchObject({ error: { code } });
});

it('never lets a message through to a session that is not the client’s', () => {
  const sessionId = fc.constantFrom(own, foreign, '', 5, null, undefined);
  const message = fc.record(
    { id: fc.nat(), method: fc.string(), params: fc.object(), sessionId },
    { requiredKeys: ['id', 'method'] },
  );
  fc.assert(
    fc.property(message, fc.nat(4), (members, rotation) => {
      const entries = Object.entries(members);
      const shuffled = Object.fromEntries([...entries.slice(rotation), ...entries.slice(0, rotation)]);
      const parsed = JSON.parse(JSON.stringify(shuffled)) as { sessionId?: unknown };
      const expected = parsed.sessionId === own ? 'session' : 'sessionId' in parsed ? 'client' : 'root';
      expect(routeOf(shuffled).to).toBe(expected);
    }),
  );
});

const behavior = (method: string, params: unknown, sessionId?: string) => ({
  id: 1,
  method,
  params,
  sessionId,
});

it.each([
  ['Browser.setDownloadBehavior', { behavior: 'allowAndName', browserContextId: 'C', eventsEnabled: true }],
  ['Browser.setDownloadBehavior', { behavior: 'allow' }],
  ['Page.setDownloadBehavior', { behavior: 'allow' }],
])('downloads go where the session has its files, under their own names: %s %j', (method, given) => {
  const params = { ...given, downloadPath: '/tmp/of-the-client' };
  const expected = { ...params, behavior: 'allow', downloadPath: '/home/user/files' };
  const route = routeOf(behavior(method, params));
  const toRoot = route.to === 'root' ? JSON.parse(route.message.toString()) : undefined;
  expect(toRoot).toEqual(behavior(method, expected));
  const changed = changeSessionMessage(Buffer.from(JSON.stringify(behavior(method, params, own))), rights);
  const toSession = changed.to === 'session' ? JSON.parse(changed.message.toString()) : undefined;
  expect(toSession).toEqual(behavior(method, expected, own));
});

it.each([
  ['Browser.setDownloadBehavior', { behavior: 'deny' }],
  ['Browser.setDownloadBehavior', { behavior: 'allow', browserContextId: {} }],
  ['Browser.setDownloadBehavior', 5],
  ['Page.setDownloadBehavior', { behavior: 'allowAndName' }],
  ['Page.navigate', { behavior: 'allow', url: '"Page.setDownloadBehavior"' }],
])('what names no directory for downloads passes as it is: %s %j', (method, params) => {
  const message = Buffer.from(JSON.stringify(behavior(method, params, own)));
  const changed = changeSessionMessage(message, rights);
  expect(changed.to === 'session' && changed.message).toBe(message);
});

it('a message about downloads that is nested without end passes as it is', () => {
  const nested = '['.repeat(20_000) + ']'.repeat(20_000);
  const text = `{"id":1,"method":"Page.setDownloadBehavior","params":{"behavior":"allow","downloadPath":${nested}},"sessionId":"${own}"}`;
  const message = Buffer.from(text);
  expect(changeSessionMessage(message, rights)).toEqual({ to: 'session', message });
});

it.each(['Browser.setDownloadBehavior', 'Browser.getVersion', 'Target.createTarget', 'Page.enable'])(
  'parameters of %s that are nested without end are answered as Chromium does',
  (method) => {
    const nested = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    for (const behavior of ['allow', 'deny']) {
      const text = `{"id":1,"method":"${method}","params":{"behavior":"${behavior}","url":${nested}}}`;
      expect(errorOf(routeOf(text))).toMatchObject({
        error: { code: -32700, message: 'JSON: stack limit exceeded' },
      });
    }
  },
);

it('only what Chromium knows of downloads is passed on, and nothing is made of the rest', () => {
  const params = { behavior: 'allow', browserContextId: 'A', other: [1e20, [2]] };
  const route = routeOf({ id: 1, method: 'Browser.setDownloadBehavior', params });
  const changed = route.to === 'root' ? JSON.parse(route.message.toString()) : undefined;
  expect(changed?.params).toEqual({
    behavior: 'allow',
    downloadPath: '/home/user/files',
    browserContextId: 'A',
  });
});

it('nothing is made of parameters that are larger than any of a method that is the host’s', () => {
  const url = 'x'.repeat(5 * 2 ** 20);
  expect(errorOf(routeOf({ id: 1, method: 'Target.createTarget', params: { url } }))).toMatchObject({
    id: 1,
    error: { code: -32602 },
  });
  expect(routeOf({ id: 1, method: 'Page.navigate', params: { url } })).toMatchObject({ to: 'root' });
});

const large = 'x'.repeat(maxReadBytes);

it.each([
  ['in front', { id: 1, sessionId: own, method: 'Page.enable', params: { large } }],
  ['at the end', { id: 1, method: 'Page.enable', params: { large }, sessionId: own }],
  ['before the id', { method: 'Page.enable', params: { large }, sessionId: own, id: 1 }],
  [
    'with spaces',
    `{ "params": {"a": "${large}"}, "id": 1, "method": "Page.enable", "sessionId": "${own}" }\n`,
  ],
])('a large message is for the session that it names %s, whatever is between', (_where, message) => {
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  expect(routeOf(text)).toEqual({ to: 'session', cdpSessionId: own, end: text.lastIndexOf('}') });
});

it.each([
  ['before its parameters', { id: 1, method: 'Storage.setCookies', params: { large } }],
  ['after them', { params: { large }, method: 'Storage.setCookies', id: 1 }],
  [
    'but for what is in them',
    { id: 1, method: 'Storage.setCookies', params: { large, a: [{ sessionId: own }] } },
  ],
])('a large message without a session is for the connection itself, read %s', (_where, message) => {
  expect(routeOf(message)).toMatchObject({ to: 'root', end: JSON.stringify(message).length - 1 });
});

it.each([
  [
    'another session in front',
    { sessionId: foreign, id: 7, method: 'Page.enable', params: { large } },
    -32001,
  ],
  [
    'another session at the end',
    { id: 7, method: 'Page.enable', params: { large }, sessionId: foreign },
    -32001,
  ],
  [
    'two sessions',
    `{"id":7,"method":"a","sessionId":"${own}","params":"${large}","sessionId":"${foreign}"}`,
    -32001,
  ],
  ['a method of the host', { id: 7, method: 'Target.createTarget', params: { large } }, -32602],
  ['a method that is changed', { id: 7, method: 'Browser.setDownloadBehavior', params: { large } }, -32602],
  ['no method', { id: 7, params: { large } }, -32600],
])('a large message with %s is answered under its id', (_what, message, code) => {
  expect(errorOf(routeOf(message))).toMatchObject({ id: 7, error: { code } });
});

it('a large message that does not say its id at its start or its end is answered without', () => {
  expect(errorOf(routeOf({ a: large, id: 7, method: 'a', b: large }))).toEqual({
    error: { code: -32600, message: expect.stringContaining(String(maxReadBytes)) },
  });
});

it.each<[string, (size: number) => string]>([
  ['escaped keys', (size) => `{"id":1,${'"\\u0069\\u0064":1,'.repeat(size / 17)}"method":"a"}`],
  ['keys', (size) => `{"id":1,${'"i":1,'.repeat(size / 6)}"method":"a"}`],
  ['escapes', (size) => `{"id":1,"method":"a","params":"${'\\u0061'.repeat(size / 6)}"}`],
  ['quotes', (size) => `{"id":1,"method":"a","params":"${'\\"'.repeat(size / 2)}"}`],
  ['literals', (size) => `{"id":1,"method":"a","params":[${'null,'.repeat(size / 5)}1]}`],
  ['arrays', (size) => `{"id":1,"method":"a","params":[${'[],'.repeat(size / 3)}1]}`],
  ['spaces', (size) => `{"id":1,"method":"a"${' '.repeat(size)}}${' '.repeat(size)}`],
  ['text', (size) => `{"id":1,"method":"a","params":"${'x'.repeat(size)}"}`],
  ['members at the end', (size) => `{"method":"a"${',"id":1'.repeat(size / 7)}}`],
])('the cost of %s grows with their length, and not beyond what is read', async (_what, message) => {
  const input = (size: number) => Buffer.from(message(size));
  await expectLinear(input, (bytes) => routeMessage(bytes, rights), { from: 2 ** 12, to: 2 ** 17 });
  await expectLinear(input, (bytes) => routeMessage(bytes, rights), { from: 2 ** 19, to: 2 ** 22 });
});

it.each(['Extensions.loadUnpacked', 'Extensions.installFromStore'])('%s is not available', (method) => {
  const denied = { ...rights, mayLoadExtensions: false };
  const error = { code: -32601, message: expect.stringContaining(`'${method}' is not available`) };
  const toRoot = Buffer.from(JSON.stringify({ id: 1, method, params: { path: '/' } }));
  expect(errorOf(routeMessage(toRoot, denied))).toEqual({ id: 1, error });
  for (const params of [{}, { large }]) {
    const message = Buffer.from(JSON.stringify({ id: 1, method, params, sessionId: own }));
    expect(concernsHost(message, 0, message.length)).toBe(true);
    const changed = changeSessionMessage(message, denied);
    expect(changed.to === 'client' && JSON.parse(changed.answer)).toEqual({ id: 1, error, sessionId: own });
  }
});

it('an extension is loaded from the files of the session only, and by a message that is read as a whole', () => {
  const message = (params: object, sessionId?: string) =>
    Buffer.from(JSON.stringify({ id: 1, method: 'Extensions.loadUnpacked', params, sessionId }));
  for (const path of ['/home/user/files', '/home/user/files/unpacked']) {
    expect(routeMessage(message({ path }), rights)).toMatchObject({ to: 'root' });
    expect(changeSessionMessage(message({ path }, own), rights)).toMatchObject({ to: 'session' });
  }
  for (const params of [
    { path: '/' },
    { path: '/home/user/files/../profile' },
    { path: '/home/user/filesystem' },
    { path: '/home/user/files', large },
  ]) {
    expect(routeMessage(message(params), rights)).toMatchObject({ to: 'client' });
    expect(changeSessionMessage(message(params, own), rights)).toMatchObject({ to: 'client' });
  }
});

it.each(['Extensions.getExtensions', 'Extensions.uninstall', 'Extensions.getStorageItems'])(
  '%s passes: it is about the extensions that the session has',
  (method) => {
    const denied = { ...rights, mayLoadExtensions: false };
    const message = Buffer.from(JSON.stringify({ id: 1, method, params: {} }));
    expect(routeMessage(message, denied)).toMatchObject({ to: 'root' });
  },
);

it.each(['Target.attachToTarget', 'Target.attachToBrowserTarget'])(
  '%s is refused to a client that has too many CDP sessions',
  (method) => {
    const message = { id: 1, method, params: {} };
    expect(routeOf(message)).toMatchObject({ to: 'root' });
    expect(errorOf(routeOf(message, full))).toEqual({ id: 1, error: { code: -32000, message: 'too many' } });
    const toSession = Buffer.from(JSON.stringify({ ...message, sessionId: own }));
    expect(concernsHost(toSession, 0, toSession.length)).toBe(true);
    expect(changeSessionMessage(toSession, rights)).toEqual({ to: 'session', message: toSession });
    expect(changeSessionMessage(toSession, full).to).toBe('client');
  },
);

it('a message that closes a target says which', () => {
  const message = { id: 1, method: 'Target.closeTarget', params: { targetId: 'T' } };
  expect(routeOf(message)).toMatchObject({ to: 'root', closes: 'T' });
});
