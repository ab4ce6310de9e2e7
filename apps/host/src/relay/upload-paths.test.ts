import { expect, it } from 'vitest';
import { judge } from './client-message.ts';
import { concernsHost } from './concerns-host.ts';
import { answerToUpload } from './upload-paths.ts';

const sessionId = 'A'.repeat(32);
const upload = (files: unknown) => ({ method: 'DOM.setFileInputFiles', params: { files, backendNodeId: 5 } });
const drop = (files: unknown) => ({
  method: 'Input.dispatchDragEvent',
  params: { type: 'drop', x: 1, y: 1, data: { items: [], files, dragOperationsMask: 1 } },
});
const bytes = (message: object) => Buffer.from(JSON.stringify(message));
const judged = (message: object) => judge(bytes(message), (id) => id === sessionId);

it.each([
  ['a local path', upload(['/home/ada/letter.txt'])],
  ['a Windows path', upload(['C:\\letters\\letter.txt'])],
  ['a relative path', upload(['letter.txt'])],
  ['one among others', upload(['/home/user/files/a.txt', '/tmp/letter.txt'])],
  ['a path that leads out', upload(['/home/user/files/../letter.txt'])],
  ['a neighbour of the directory', upload(['/home/user/files2/letter.txt'])],
  ['a file that is dropped', drop(['/tmp/letter.txt'])],
])('%s is answered at once with where files have to be', (_what, message) => {
  const error = { code: -32602, message: expect.stringContaining('pass /home/user/files/<name>') };
  const toSession = bytes({ id: 7, ...message, sessionId });
  expect(concernsHost(toSession, 0, toSession.length)).toBe(true);
  expect(JSON.parse(answerToUpload(toSession) ?? '')).toEqual({ id: 7, error, sessionId });
  const verdict = judged({ id: 7, ...message });
  expect(verdict.to === 'client' && JSON.parse(verdict.answer)).toEqual({ id: 7, error });
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
  expect(answerToUpload(bytes({ id: 7, ...message, sessionId }))).toBeUndefined();
  expect(judged({ id: 7, ...message }).to).toBe('root');
});

it('a message about files that is too long to be looked at passes as it is', () => {
  const message = bytes({ id: 7, ...upload(Array(5000).fill('/home/ada/letter.txt')), sessionId });
  expect(answerToUpload(message)).toBeUndefined();
});
