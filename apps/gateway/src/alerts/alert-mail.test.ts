import { expect, test } from 'vitest';
import { type AlertMail, writeUsageAlert } from './alert-mail.ts';

const write = (alert: AlertMail) =>
  writeUsageAlert({ data: JSON.stringify(alert) }, 'https://turnpike.example');

test('an alert says how much is used, what follows, and where it was set', () => {
  const { subject, text } = write({ metric: 'hours', threshold: 80, used: 142_200, period: 172_800 });
  expect(subject).toBe('80% of your browser hours are used');
  expect(text).toContain('has used 39.5 of its 48 browser hours (82%)');
  expect(text).toContain('When all hours are used, new sessions are refused.');
  expect(text).toContain('https://turnpike.example/usage');
});

test('an account whose hours are all used is told so, whichever threshold it set', () => {
  const { subject, text } = write({ metric: 'hours', threshold: 90, used: 180_000, period: 172_800 });
  expect(subject).toBe('All browser hours are used');
  expect(text).toContain('New sessions are refused.');
});

test('bandwidth is said in gigabytes of a month', () => {
  const { subject, text } = write({
    metric: 'bandwidth',
    threshold: 500,
    used: 501_234_000_000,
    period: 202_603,
  });
  expect(subject).toBe('Your bandwidth this month has passed 500 GB');
  expect(text).toContain('501.2 GB of bandwidth in 2026-03 (UTC)');
});
