import { expect, test } from 'vitest';
import { detailText, targetPage } from './audit-text.ts';

test('limits are written with their units, and null as no limit', () => {
  expect(detailText({ concurrent_limit: null, browser_seconds_cap: 7200, creates_per_minute: 1200 })).toBe(
    'Concurrent browsers: no limit, Browser hours: 2 h, Creates per minute: 1,200',
  );
});

test('other details are sentences too, and what is unknown is still shown', () => {
  expect(detailText({ by: 'reset' })).toBe('with a reset link');
  expect(detailText({ name: '', force: false })).toBe('');
  expect(detailText({ name: 'Ann', later: { a: 1 } })).toBe('Name: Ann, later: {"a":1}');
});

test('targets lead to their pages', () => {
  expect(targetPage({ action: 'session.close', target: 'br_1' })).toBe('/sessions/br_1');
  expect(targetPage({ action: 'account.limits', target: 'a+b@example.com' })).toBe(
    '/accounts?text=a%2Bb%40example.com',
  );
  expect(targetPage({ action: 'password.set', target: 'a@example.com' })).toBeUndefined();
});
