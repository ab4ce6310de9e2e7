import { expect, test } from 'vitest';
import { endReasonText, unusualEndText } from './session-text.ts';

test('the reason of an end is shown as text, with the signal if there was one', () => {
  expect(endReasonText({ endReason: null })).toBeUndefined();
  expect(endReasonText({ endReason: 'idle' })).toBe('idle timeout');
  expect(endReasonText({ endReason: 'browser_crashed', endSignal: 'SIGSEGV' })).toBe(
    'browser crashed (SIGSEGV)',
  );
});

test('a list shows the reason only where the state alone does not', () => {
  expect(unusualEndText({ endReason: 'client_close' })).toBeUndefined();
  expect(unusualEndText({ endReason: 'lifetime' })).toBeUndefined();
  expect(unusualEndText({ endReason: null })).toBeUndefined();
  expect(unusualEndText({ endReason: 'out_of_memory', endSignal: 'SIGKILL' })).toBe(
    'out of memory (SIGKILL)',
  );
});
