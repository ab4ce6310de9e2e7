import { expect, it } from 'vitest';
import { checkPageUrl } from './page-url.ts';

it('opens addresses of the web, and a blank page', () => {
  expect(checkPageUrl('HTTPS://Example.com')).toBe('https://example.com/');
  expect(checkPageUrl('http://example.com:8080/a b')).toBe('http://example.com:8080/a%20b');
  expect(checkPageUrl('about:blank')).toBe('about:blank');
});

it('opens nothing else', () => {
  const others = [
    'file:///etc/passwd',
    'chrome://crash',
    'data:text/html,x',
    'javascript:alert(1)',
    'about:version',
  ];
  for (const url of [
    ...others,
    'view-source:http://a',
    'ftp://a',
    'blob:http://a/b',
    'devtools://x',
    '',
    'example.com',
  ])
    expect(() => checkPageUrl(url), url).toThrow('url must be an address');
});
