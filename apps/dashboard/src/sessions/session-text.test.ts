import { expect, test } from 'vitest';
import { createParams, endReasonText, proxyText, shownState, unusualEndText } from './session-text.ts';

test('the reason of an end is shown as text, with the signal if there was one', () => {
  expect(endReasonText({ endReason: null })).toBeUndefined();
  expect(endReasonText({ endReason: 'idle' })).toBe('idle timeout');
  expect(endReasonText({ endReason: 'browser_crashed', endSignal: 'SIGSEGV' })).toBe(
    'browser crashed (SIGSEGV)',
  );
});

test('a session like another one has its saved profile, and not its device', () => {
  expect(createParams({ os: 'linux', profile: { os: 'linux' } })).toEqual({ os: 'linux' });
  expect(createParams({ profile: { os: 'linux' }, savedProfile: 'shop' })).toEqual({ profile: 'shop' });
});

test('a list shows the reason only where the state alone does not', () => {
  expect(unusualEndText({ endReason: 'client_close' })).toBeUndefined();
  expect(unusualEndText({ endReason: 'lifetime' })).toBeUndefined();
  expect(unusualEndText({ endReason: 'browser_closed' })).toBeUndefined();
  expect(shownState({ status: 'DEAD', endReason: 'browser_closed' })).toBe('closedByClient');
  expect(shownState({ status: 'DEAD', endReason: 'host_lost' })).toBe('DEAD');
  expect(unusualEndText({ endReason: null })).toBeUndefined();
  expect(unusualEndText({ endReason: 'out_of_memory', endSignal: 'SIGKILL' })).toBe(
    'out of memory (SIGKILL)',
  );
});

test('a session like one with a saved proxy names that proxy or its pool', () => {
  const params = { proxy: 'http://u:***@h:1', proxyName: 'a', profile: {} };
  expect(createParams(params)).toEqual({ proxy: 'name:a' });
  expect(createParams({ ...params, proxyPool: 'p' })).toEqual({ proxy: 'pool:p' });
  expect(proxyText({ ...params, proxyPool: 'p' })).toBe('name:a of pool:p, http://u:***@h:1');
  expect(proxyText({ proxy: 'http://h:1' })).toBe('http://h:1');
});
