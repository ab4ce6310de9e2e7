import { expect, test } from 'vitest';
import { refusedHosts } from './filter-list.ts';

const hostsOf = (...lines: string[]) => refusedHosts(lines.join('\n'));

test('a host is refused whole by a rule without options, and by no other', () => {
  expect(
    hostsOf(
      '[Adblock Plus 2.0]',
      '! ||comment.example^',
      '||ads.example^',
      '||cdn.ads.example^\r',
      '||third.example^$third-party',
      '||script.example^$script',
      '||path.example/ads/',
      '||begins.example',
      'example.com##.banner',
      '/banner/*',
    ),
  ).toEqual(['ads.example', 'cdn.ads.example']);
});

test('a host is not refused whole where an exception speaks of it, of one below it or of one above it', () => {
  expect(
    hostsOf(
      '||a.example^',
      '||below.b.example^',
      '||c.example^',
      '||d.example^',
      '@@||a.example^$domain=shop.example',
      '@@||b.example/allowed.js',
      '@@||good.c.example^',
    ),
  ).toEqual(['d.example']);
});
