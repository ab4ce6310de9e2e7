import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConnectionFailedError, type SessionEndedError } from './errors.ts';
import { mayHaveOpened } from './may-have-opened.ts';
import { errorOf } from './transport/answer-error.ts';

/** Answers to a create that are no session, and what a client makes of them; one list for both clients. */
interface Case {
  name: string;
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** In place of `body`. */
  text?: string;
  error: string;
  code?: string;
  retryAfter?: number;
  finalStatus?: string;
  mayHaveOpened: boolean;
}

const file = join(import.meta.dirname, '../../../tests/clients/create-answers.json');
const cases: Case[] = JSON.parse(readFileSync(file, 'utf8'));

test.each(cases)('$name is $error', ({ status, headers, body, text, ...expected }) => {
  const answer = { status, headers: new Headers(headers), text: text ?? JSON.stringify(body) };
  const error = errorOf(answer, 'create');
  expect(error.name).toBe(expected.error);
  expect(error.statusCode).toBe(status);
  expect(error.code).toBe(expected.code);
  expect(error.retryAfter).toBe(expected.retryAfter);
  expect((error as SessionEndedError).finalStatus).toBe(expected.finalStatus);
  expect(mayHaveOpened(error)).toBe(expected.mayHaveOpened);
});

test('without an answer a session may have been opened, unless the gateway was never reached', () => {
  const refused = new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
  expect(mayHaveOpened(new ConnectionFailedError('failed', { cause: refused }))).toBe(false);
  expect(mayHaveOpened(new ConnectionFailedError('no answer in time'))).toBe(true);
  expect(mayHaveOpened(new ConnectionFailedError('no session', { statusCode: 200 }))).toBe(true);
  expect(mayHaveOpened(new DOMException('aborted', 'AbortError'))).toBe(true);
});
