import { expect, test } from 'vitest';
import { describedSession, readCommand } from './bidi-message.ts';

test('a command is read with its channel, and an empty channel is none', () => {
  const command = { id: 1, method: 'session.status', params: {} };
  expect(readCommand(JSON.stringify(command))).toEqual(command);
  expect(readCommand(JSON.stringify({ ...command, 'goog:channel': '' }))).toEqual(command);
  expect(readCommand(JSON.stringify({ ...command, 'goog:channel': 'a' }))).toEqual({
    ...command,
    'goog:channel': 'a',
  });
});

test('what is no command is answered with its id, if it has one', () => {
  for (const text of ['', '7', 'null', '[]', '{}', '{"id":-1}', '{"id":"1"}', '{"id":1e99}'])
    expect(readCommand(text)).toMatchObject({ type: 'error', id: null, error: 'invalid argument' });
  for (const text of ['{"id":1}', '{"id":1,"method":"m"}', '{"id":1,"method":"m","params":[]}'])
    expect(readCommand(text)).toMatchObject({ type: 'error', id: 1, error: 'invalid argument' });
});

test('a new session has an id and the browser’s name and version', () => {
  const capabilities = { browserName: 'Chrome/156.0.1.2', webSocketUrl: '', setWindowRect: false };
  expect(describedSession({ sessionId: 'unknown', capabilities }, 's1')).toEqual({
    sessionId: 's1',
    capabilities: {
      browserName: 'chrome',
      browserVersion: '156.0.1.2',
      platformName: 'linux',
      setWindowRect: false,
    },
  });
});
