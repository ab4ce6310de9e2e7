import { expect, test } from 'vitest';
import { noProxy, proxyParams } from './proxy-values.ts';

test('what is empty is not sent, so that the default applies', () => {
  expect(proxyParams(noProxy)).toEqual({});
  expect(proxyParams({ proxy: ' pool:de ', proxy_key: 'customer-42', proxy_country: '' })).toEqual({
    proxy: 'pool:de',
    proxy_key: 'customer-42',
  });
});
