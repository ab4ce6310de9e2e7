import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';

function destination(isTTY: boolean) {
  const lines: string[] = [];
  return { isTTY, lines, write: (text: string) => void lines.push(stripVTControlCharacters(text)) };
}

test('on a terminal a request is one short line, and so is anything else', () => {
  const terminal = destination(true);
  const logger = createLogger('info', terminal);
  logger.info(
    { requestId: 'r-1', accountId: 'a', method: 'GET', route: '/connect', status: 200, ms: 8.5 },
    'request',
  );
  logger.warn({ reason: 'no room' }, 'warm browsers do not start');
  expect(terminal.lines.map((line) => line.replace(/\d\d:\d\d:\d\d/, 'hh:mm:ss'))).toEqual([
    '[hh:mm:ss] INFO: GET /connect 200 8.5 ms\n',
    '[hh:mm:ss] WARN: warm browsers do not start {"reason":"no room"}\n',
  ]);
});

test('elsewhere each line is JSON', () => {
  const journal = destination(false);
  createLogger('info', journal).info({ requestId: 'r-1' }, 'request');
  expect(JSON.parse(journal.lines.join(''))).toMatchObject({ level: 30, requestId: 'r-1', msg: 'request' });
});
