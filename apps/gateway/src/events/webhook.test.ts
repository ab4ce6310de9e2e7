import { expect, test } from 'vitest';
import { nextAttempt, parseWebhook, signature } from './webhook.ts';

test.each([
  [{}, 'url is required'],
  [{ url: 'example.com' }, 'url must be an http or https URL'],
  [{ url: 'ftp://example.com' }, 'url must be an http or https URL'],
  [{ url: 'http://a:b@example.com' }, /no user name or password/],
  [{ url: `http://example.com/${'x'.repeat(2048)}` }, /at most 2048 characters/],
  [{ url: 'http://example.com', events: ['session.born'] }, /^events must be a list of/],
  [{ url: 'http://example.com', events: 'session.closed' }, /^events must be a list of/],
])('%j is refused by its rule', (body, rule) => {
  const parsed = parseWebhook(body);
  expect(parsed.ok).toBe(false);
  expect(parsed.ok ? '' : parsed.rule).toMatch(rule);
});

test('without a list, a webhook gets all', () => {
  const parsed = parseWebhook({ url: 'https://example.com/hook' });
  expect(parsed).toMatchObject({ ok: true, events: [] });
});

test("a signature is the standard's own example", () => {
  const body = '{"test": 2432232314}';
  expect(
    signature('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, body),
  ).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('attempts go on for more than a day, then end', () => {
  let at = 0;
  let attempts = 0;
  for (let next: number | undefined = 0; next !== undefined; next = nextAttempt(attempts, at)) {
    at = next;
    attempts++;
  }
  expect(at).toBeGreaterThan(86_400_000);
  expect(attempts).toBe(12);
});
