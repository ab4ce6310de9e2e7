import { expect, test } from 'vitest';
import { changeOf, costText, exitText, formOf } from './proxy-text.ts';

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
