import type { EventType } from '@turnpike/contract/events';
import { expect, test } from 'vitest';
import { eventDetails, eventLabel, sessionOf } from './event-text.ts';

const event = (type: EventType, data: object) => ({
  id: 'evt_1',
  seq: 1,
  type,
  timestamp: '2026-11-16T10:00:00.000Z',
  data,
});

test('the end of a session says why and what was billed, usage says how much', () => {
  const dead = event('session.dead', {
    browserId: 'br_1',
    endReason: 'browser_crashed',
    endSignal: 'SIGSEGV',
    billedSeconds: 90,
  });
  expect(eventDetails(dead)).toBe('browser crashed (SIGSEGV), 1 min 30 s billed');
  expect(sessionOf(dead)).toBe('br_1');
  expect(eventLabel(dead)).toBe('Session lost');
  expect(eventLabel(event('session.dead', { endReason: 'browser_closed' }))).toBe(
    'Session closed by its client',
  );
  const usage = event('usage.80', { browserSeconds: 7200, browserSecondsCap: 9000 });
  expect(eventDetails(usage)).toBe('2 h of 2.5 h');
  expect(sessionOf(usage)).toBeNull();
  expect(eventDetails(event('session.started', { browserId: 'br_1' }))).toBe('');
  expect(eventDetails(event('recording.ready', { events: 12, errors: 1 }))).toBe('12 events, 1 errors');
});

test('an event about a proxy says which, and what has changed', () => {
  const failing = { proxy: 'name:shop-de', state: 'failing', error: 'did not answer in time' };
  expect(eventDetails(event('proxy.failing', failing))).toBe('name:shop-de: did not answer in time');
  const recovered = { proxy: 'name:shop-de', state: 'healthy', error: null };
  expect(eventDetails(event('proxy.recovered', recovered))).toBe('name:shop-de');
  const moved = { proxy: 'name:shop-de', exitIp: '192.0.2.2', previousExitIp: '192.0.2.1' };
  expect(eventDetails(event('proxy.exit_changed', moved))).toBe('name:shop-de: 192.0.2.1, now 192.0.2.2');
  const failed = { browserId: 'br_1', proxy: 'name:shop-de', cause: 'timeout', failures: 2, connections: 9 };
  expect(eventDetails(event('session.proxy_failed', failed))).toBe(
    'name:shop-de: timeout, 2 of 9 connections failed',
  );
});
