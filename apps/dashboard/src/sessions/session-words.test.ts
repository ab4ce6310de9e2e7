import { expect, test } from 'vitest';
import { endWords, unusualEnd } from './session-words.ts';

test('an ending is said in words, with the signal where there was one', () => {
  expect(endWords({ endReason: null })).toBeUndefined();
  expect(endWords({ endReason: 'idle' })).toBe('nobody used it');
  expect(endWords({ endReason: 'browser_crashed', endSignal: 'SIGSEGV' })).toBe(
    'the browser crashed (SIGSEGV)',
  );
});

test('a list says it only where the state alone does not', () => {
  expect(unusualEnd({ endReason: 'client_close' })).toBeUndefined();
  expect(unusualEnd({ endReason: 'lifetime' })).toBeUndefined();
  expect(unusualEnd({ endReason: null })).toBeUndefined();
  expect(unusualEnd({ endReason: 'out_of_memory', endSignal: 'SIGKILL' })).toBe(
    'the browser ran out of memory (SIGKILL)',
  );
});
