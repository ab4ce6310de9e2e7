import { expect, test } from 'vitest';
import { costText } from '../parts/values/figures.ts';
import { changeOf, checkText, exitText, formOf } from './proxy-text.ts';

test('a check says how the proxy is, or how it failed', () => {
  const check = {
    ok: true,
    latencyMs: 42,
    exitIp: '203.0.113.9',
    exitCountry: 'DE',
    fetched: { status: 200, firstByteMs: 120 },
    error: null,
    checkedAt: '2026-01-01T00:00:00.000Z',
  };
  expect(checkText(check)).toBe('It works: 42 ms; exit 203.0.113.9, Germany; status 200 after 120 ms');
  expect(checkText({ ...check, ok: false, error: 'connection refused' })).toBe(
    'It failed: connection refused',
  );
  expect(checkText({ ...check, exitIp: null, exitCountry: null, fetched: null })).toBe('It works: 42 ms');
});

test('secrets that were left empty are not sent, and other empty fields take their value away', () => {
  expect(changeOf({ ...formOf(), name: ' shop-de ', tags: 'eu, shop ,', country: 'de', price: 3.5 })).toEqual(
    {
      name: 'shop-de',
      tags: ['eu', 'shop'],
      country: 'DE',
      notes: null,
      pricePerGb: 3.5,
      trustCaInBrowser: false,
    },
  );
  expect(changeOf({ ...formOf(), url: 'http://u:p@h:1', certificate: 'c', key: 'k', ca: 'a' })).toMatchObject(
    {
      url: 'http://u:p@h:1',
      ca: 'a',
      clientCertificate: { certificate: 'c', key: 'k' },
    },
  );
});

test('costs and exits that are not known are a dash', () => {
  const health = { exitIp: null, exitCountry: null } as never;
  expect(costText(null)).toBe('–');
  expect(costText(12.3456)).toBe('12.35');
  expect(costText(0.01234)).toBe('0.0123');
  expect(exitText({ country: null, health })).toBe('–');
  expect(exitText({ country: 'DE', health })).toBe('Germany');
});
