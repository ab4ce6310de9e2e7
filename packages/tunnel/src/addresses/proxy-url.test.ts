import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskedProxyUrl, parseProxyUrl } from './proxy-url.ts';

test.each([
  ['http://proxy.example:3128', { scheme: 'http', host: 'proxy.example', port: 3128 }],
  ['http://proxy.example:80', { scheme: 'http', host: 'proxy.example', port: 80 }],
  ['https://proxy.example:443/', { scheme: 'https', host: 'proxy.example', port: 443 }],
  ['SOCKS5://10.0.0.1:1080', { scheme: 'socks5', host: '10.0.0.1', port: 1080 }],
  [
    'socks5h://u:p@[2001:DB8::1]:1080',
    { scheme: 'socks5h', host: '2001:db8::1', port: 1080, username: 'u', password: 'p' },
  ],
  [
    'http://us%40er:p%3A%2F%25w@h:1',
    { scheme: 'http', host: 'h', port: 1, username: 'us@er', password: 'p:/%w' },
  ],
  ['http://user:a:b@c@h:1', { scheme: 'http', host: 'h', port: 1, username: 'user', password: 'a:b@c' }],
  ['http://user@h:1', { scheme: 'http', host: 'h', port: 1, username: 'user', password: '' }],
  ['http://bücher.example:1', { scheme: 'http', host: 'xn--bcher-kva.example', port: 1 }],
  ['http://a_b.example:1', { scheme: 'http', host: 'a_b.example', port: 1 }],
])('%s is understood', (text, proxy) => {
  expect(parseProxyUrl(text)).toEqual({ ok: true, proxy });
});

test.each([
  ['proxy.example:3128', 'missing scheme'],
  ['host:80:user:pass', 'missing scheme'],
  ['//proxy.example:3128', 'missing scheme'],
  ['ftp://proxy.example:21', 'unsupported scheme'],
  ['socks4://proxy.example:1080', 'unsupported scheme'],
  ['javascript://proxy.example:1', 'unsupported scheme'],
  ['://proxy.example:1', 'unsupported scheme'],
  ['http://proxy.example', 'missing port'],
  ['http://proxy.example:', 'missing port'],
  ['http://user:pass@proxy.example', 'missing port'],
  ['http://[::1]', 'missing port'],
  ['http://:3128', 'missing host'],
  ['http://user:pass@:3128', 'missing host'],
  ['http://', 'missing host'],
  ['http://proxy.example:0', 'invalid port'],
  ['http://proxy.example:65536', 'invalid port'],
  ['http://proxy.example:8o80', 'invalid port'],
  ['http://proxy.example:-1', 'invalid port'],
  ['http://proxy.example:80:90', 'invalid port'],
  ['http://[::1', 'invalid host'],
  ['http://[nonsense]:1', 'invalid host'],
  ['http://[fe80::1%25eth0]:1', 'invalid host'],
  ['http://exa mple:1', 'invalid character'],
  ['http://-x-:1', 'invalid host'],
  ['http://pro\r\nxy:1', 'invalid character'],
  ['http://proxy.example:1/path', 'path not allowed'],
  ['http://proxy.example:1?q', 'path not allowed'],
  ['http://proxy.example:1#f', 'path not allowed'],
  ['http://us%zzer:pass@h:1', 'credentials not percent-encoded'],
  ['http://user:pa%0d%0ass@h:1', 'control character in credentials'],
  ['http://us%3Aer:pass@h:1', 'colon in user name'],
  [`socks5://u:${'p'.repeat(256)}@h:1`, 'credentials too long for socks5'],
  ['socks5://:p@h:1', 'missing user name'],
  [`http://${'h'.repeat(2040)}:1`, 'longer than 2048 characters'],
])('%s is refused: %s', (text, rule) => {
  expect(parseProxyUrl(text)).toEqual({ ok: false, rule });
});

test('any credentials survive encoding, and the mask hides the password', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((s) => !/\p{Cc}/u.test(s));
  fc.assert(
    fc.property(
      text.filter((s) => !s.includes(':')),
      text,
      (username, password) => {
        const url = `http://${encodeURIComponent(username)}:${encodeURIComponent(password)}@proxy.example:3128`;
        const parsed = parseProxyUrl(url);
        expect(parsed).toMatchObject({ ok: true, proxy: { username, password } });
        if (parsed.ok) {
          expect(maskedProxyUrl(parsed.proxy)).toBe(
            `http://${encodeURIComponent(username)}:***@proxy.example:3128`,
          );
        }
      },
    ),
  );
});

test('anything at all is understood or refused, and what is understood is safe to use', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl()), (text) => {
      const parsed = parseProxyUrl(text);
      if (!parsed.ok) expect(parsed.rule).toMatch(/^[a-z0-9 -]+$/);
      else expect(parsed.proxy.host).toMatch(/^[a-z0-9_.:-]+$/);
    }),
  );
});
