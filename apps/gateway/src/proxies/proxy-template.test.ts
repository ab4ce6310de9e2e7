import { expect, test } from 'vitest';
import {
  fillTemplate,
  freshSession,
  keyedSession,
  maskedTemplate,
  placeholdersIn,
} from './proxy-template.ts';

const values = { country: 'us', session: 'abc', key: 'a:b@c/{session}' };

test('placeholders are found and filled once, percent-encoded', () => {
  const url = 'http://u-{country}-{session}:{key}-{other}@h:1';
  expect(placeholdersIn(url)).toEqual(new Set(['country', 'session', 'key']));
  expect(fillTemplate(url, values)).toBe('http://u-us-abc:a%3Ab%40c%2F%7Bsession%7D-{other}@h:1');
  expect(placeholdersIn('http://u:p@h:1').size).toBe(0);
});

test('a masked URL shows its placeholders as they were written', () => {
  const proxy = { scheme: 'http', host: 'h', port: 1, username: 'u-{session}', password: 'p' } as const;
  expect(maskedTemplate(proxy)).toBe('http://u-{session}:***@h:1');
});

test('the session of a key is the same each time, and another for whatever differs', () => {
  const of = { accountId: 'a', proxyId: 'p', key: 'k', generation: 0 };
  const others = [{ accountId: 'b' }, { proxyId: 'q' }, { key: 'l' }, { generation: 1 }];
  const sessions = [of, ...others.map((other) => ({ ...of, ...other }))].map(keyedSession);
  expect(keyedSession({ ...of })).toBe(sessions[0]);
  expect(new Set([...sessions, freshSession(), freshSession()]).size).toBe(7);
  for (const session of sessions) expect(session).toMatch(/^[a-z0-9]{10}$/);
});
