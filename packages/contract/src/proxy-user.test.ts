import fc from 'fast-check';
import { expect, test } from 'vitest';
import { products } from './bandwidth.ts';
import { parseProxyUser } from './proxy-user.ts';

test.each([
  ['acme', { user: 'acme', product: 'residential', country: undefined }],
  ['acme-product-residential-country-us', { user: 'acme', product: 'residential', country: 'US' }],
  ['acme-country-DE-product-rotating-isp', { user: 'acme', product: 'rotating-isp', country: 'DE' }],
  ['acme-product-web-unblocker', { user: 'acme', product: 'web-unblocker', country: undefined }],
])('%s', (text, value) => expect(parseProxyUser(text)).toEqual({ ok: true, value }));

test.each([
  '',
  '-product-residential',
  'acme-',
  'acme-session-1',
  'acme-product-',
  'acme-product-mobile',
  'acme-country-usa',
  'acme-country-us-country-de',
  'a b',
  'acme-product-residential-x',
])('%j is refused', (text) => {
  expect(parseProxyUser(text)).toMatchObject({ ok: false, rule: expect.any(String) });
});

test('every combination is understood in either order', () => {
  const country = fc.stringMatching(/^[A-Z]{2}$/);
  fc.assert(
    fc.property(
      fc.stringMatching(/^[a-z0-9]{1,12}$/),
      fc.constantFrom(...products),
      country,
      fc.boolean(),
      (user, product, code, swap) => {
        const options = [`-product-${product}`, `-country-${code.toLowerCase()}`];
        const text = user + (swap ? options.reverse() : options).join('');
        expect(parseProxyUser(text)).toEqual({ ok: true, value: { user, product, country: code } });
      },
    ),
  );
});
