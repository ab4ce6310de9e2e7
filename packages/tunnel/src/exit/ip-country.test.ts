import { expect, it } from 'vitest';
import { countryOf } from './ip-country.ts';

it.each([
  ['8.8.8.8', 'US'],
  ['81.2.69.142', 'GB'],
  ['193.99.144.80', 'DE'],
  ['2a02:2e0:3fe:1001:302::', 'DE'],
  ['127.0.0.1', undefined],
  ['10.1.2.3', undefined],
])('%s is in %s', async (ip, country) => {
  expect(await countryOf(ip)).toBe(country);
});
