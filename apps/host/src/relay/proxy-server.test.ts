import { expect, test } from 'vitest';
import { readProxyServer } from './proxy-server.ts';

test.each([
  ['http://proxy.test:3128', 'http://proxy.test:3128'],
  ['http://proxy.test:3128/', 'http://proxy.test:3128'],
  ['proxy.test:3128', 'http://proxy.test:3128'],
  ['proxy.test', 'http://proxy.test:80'],
  ['HTTPS://proxy.test', 'https://proxy.test:443'],
  ['socks://proxy.test', 'socks5://proxy.test:1080'],
  ['socks5://[2001:db8::1]', 'socks5://[2001:db8::1]:1080'],
  ['http://[2001:db8::1]:80', 'http://[2001:db8::1]:80'],
  ['socks5://ann:a,b=c;d@proxy.test:1080', 'socks5://ann:a,b=c;d@proxy.test:1080'],
  ['http=a.test:1;https=a.test:1', 'http://a.test:1'],
  ['socks=socks5://a.test:1', 'socks5://a.test:1'],
  ['name:shop-de', 'name:shop-de'],
  ['name://shop-de', 'name:shop-de'],
  ['pool://de/', 'pool:de'],
  ['gopher://proxy.test', 'gopher://proxy.test'],
])('%s is %s', (text, proxy) => {
  expect(readProxyServer(text)).toEqual({ proxy });
});

test.each(['http=a:1;https=b:2', 'http://a:1,http://b:2', 'a:1;b:2', 'direct://', 'x'.repeat(10_000)])(
  '%s is refused',
  (text) => {
    expect(readProxyServer(text)).toEqual({ refusal: expect.stringMatching(/^proxyServer .*\. Use /) });
  },
);
