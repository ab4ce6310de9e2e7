import { expect, test } from 'vitest';
import { parseProductMap } from './product-map.ts';

test('a product goes direct, or through a pool with countries', () => {
  const map = parseProductMap(
    JSON.stringify({
      'rotating-dc': 'direct',
      residential: {
        upstreams: [
          { url: 'http://u:p@gw.example:7000', country: 'us' },
          { url: 'socks5h://gw.example:7001', meter: 'session' },
        ],
      },
    }),
  );
  expect(map).toEqual({
    'rotating-dc': 'direct',
    residential: [
      {
        proxy: { scheme: 'http', host: 'gw.example', port: 7000, username: 'u', password: 'p' },
        country: 'US',
        meter: 'proxy',
      },
      { proxy: { scheme: 'socks5h', host: 'gw.example', port: 7001 }, country: undefined, meter: 'session' },
    ],
  });
});

test.each([
  ['{', /^TURNPIKE_PRODUCTS_FILE is not JSON/],
  ['[]', /must contain a JSON object/],
  ['{"mobile":"direct"}', /has the unknown product mobile. Use residential/],
  ['{"residential":"somewhere"}', /residential must be "direct" or/],
  ['{"residential":{"upstreams":[]}}', /residential must be "direct" or/],
  ['{"residential":{"upstreams":[{}]}}', /residential\.upstreams\[0\]\.url must be a proxy URL/],
  [
    '{"residential":{"upstreams":[{"url":"http://u:hunter2@gw"}]}}',
    /upstreams\[0\]\.url is not a valid proxy URL \(missing port\)/,
  ],
  ['{"residential":{"upstreams":[{"url":"http://gw:1","country":"USA"}]}}', /country must be two letters/],
  ['{"residential":{"upstreams":[{"url":"http://gw:1","meter":"x"}]}}', /meter must be/],
])('%s is refused with the place', (text, message) => {
  expect(() => parseProductMap(text)).toThrow(message);
  expect(() => parseProductMap(text)).not.toThrow(/hunter2/);
});
