import { expect, test } from 'vitest';
import { endWords, unusualEnd } from './session-words.ts';

test('an ending is said in words, with the signal where there was one', () => {
  expect(endWords({ endReason: null })).toBeUndefined();
  expect(endWords({ endReason: 'idle' })).toBe('idle timeout');
  expect(endWords({ endReason: 'browser_crashed', endSignal: 'SIGSEGV' })).toBe('browser crashed (SIGSEGV)');
});

test('a list says it only where the state alone does not', () => {
  expect(unusualEnd({ endReason: 'client_close' })).toBeUndefined();
  expect(unusualEnd({ endReason: 'lifetime' })).toBeUndefined();
  expect(unusualEnd({ endReason: null })).toBeUndefined();
  expect(unusualEnd({ endReason: 'out_of_memory', endSignal: 'SIGKILL' })).toBe('out of memory (SIGKILL)');
});
