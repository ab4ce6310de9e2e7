import { expect, it } from 'vitest';
import { concernsHost } from '../switchboard/concerns-host.ts';
import { changeSessionMessage, routeMessage } from './client-message.ts';

const sessionId = 'A'.repeat(32);
const upload = (files: unknown) => ({ method: 'DOM.setFileInputFiles', params: { files, backendNodeId: 5 } });
const drop = (files: unknown) => ({
  method: 'Input.dispatchDragEvent',
  params: { type: 'drop', x: 1, y: 1, data: { items: [], files, dragOperationsMask: 1 } },
});
const bytes = (message: object) => Buffer.from(JSON.stringify(message));
const rights = {
  owns: (id: string) => id === sessionId,
  mayNotAttach: () => undefined,
  mayLoadExtensions: true,
};
const routeOf = (message: object) => routeMessage(bytes(message), rights);

it.each([
  ['a local path', upload(['/home/ada/letter.txt'])],
  ['a Windows path', upload(['C:\\letters\\letter.txt'])],
  ['a relative path', upload(['letter.txt'])],
  ['one among others', upload(['/home/user/files/a.txt', '/tmp/letter.txt'])],
  ['a path that leads out', upload(['/home/user/files/../letter.txt'])],
  ['a directory whose name begins with its name', upload(['/home/user/files2/letter.txt'])],
  ['a file that is dropped', drop(['/tmp/letter.txt'])],
])('%s is answered at once with where files have to be', (_what, message) => {
  const error = { code: -32602, message: expect.stringContaining('pass /home/user/files/<name>') };
  const toSession = bytes({ id: 7, ...message, sessionId });
  expect(concernsHost(toSession, 0, toSession.length)).toBe(true);
  const changed = changeSessionMessage(toSession, rights);
  expect(changed.to === 'client' && JSON.parse(changed.answer)).toEqual({ id: 7, error, sessionId });
  const route = routeOf({ id: 7, ...message });
  expect(route.to === 'client' && JSON.parse(route.answer)).toEqual({ id: 7, error });
});

it.each([
  ["the session's files", upload(['/home/user/files/a.txt', '/home/user/files/./b/c.txt'])],
  ['their directory', upload(['/home/user/files'])],
  ['no file', upload([])],
  ['what is no list', upload('/tmp/letter.txt')],
  ['what is no path', upload([5, null])],
  ['no parameters', { method: 'DOM.setFileInputFiles' }],
  ['text that is dropped', drop(undefined)],
  ['a drop of nothing', { method: 'Input.dispatchDragEvent', params: { data: null } }],
  [
    'a page that mentions it',
    { method: 'Page.navigate', params: { url: '"DOM.setFileInputFiles"', files: ['/tmp/x'] } },
  ],
])('%s passes as it is', (_what, message) => {
  const toSession = bytes({ id: 7, ...message, sessionId });
  expect(changeSessionMessage(toSession, rights)).toEqual({ to: 'session', message: toSession });
  expect(routeOf({ id: 7, ...message }).to).toBe('root');
});

it('a message about files that is too long to be looked at passes as it is', () => {
  const message = bytes({ id: 7, ...upload(Array(20_000).fill('/home/ada/letter.txt')), sessionId });
  expect(changeSessionMessage(message, rights)).toEqual({ to: 'session', message });
});
