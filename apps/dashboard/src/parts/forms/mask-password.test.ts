import { expect, test } from 'vitest';
import { maskPassword } from './mask-password.ts';

test.each([
  ['http://user:secret@proxy.example:3128', 'http://user:••••••@proxy.example:3128'],
  ['socks5://u:p@ss:word@proxy.example:1', 'socks5://u:••••••@proxy.example:1'],
  ['http://proxy.example:3128', 'http://proxy.example:3128'],
  ['http://user@proxy.example:3128', 'http://user@proxy.example:3128'],
  ['half typed', 'half typed'],
])('the password of %s is hidden', (url, masked) => expect(maskPassword(url)).toBe(masked));
