import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileGlob, compileRobotsPath } from './wildcard.ts';

test.each([
  ['https://a.test/*', 'https://a.test/x', true],
  ['https://a.test/*', 'https://a.test/x/y', false],
  ['https://a.test/**', 'https://a.test/x/y', true],
  ['**/blog/*/comments', 'https://a.test/blog/1/comments', true],
  ['**/blog/*/comments', 'https://a.test/blog/1/2/comments', false],
  ['**/blog/**', 'https://a.test/shop/', false],
  ['https://a.test/', 'https://a.test/', true],
  ['https://a.test/', 'https://a.test/x', false],
  ['**', '', true],
])('the pattern %s matches %s: %s', (pattern, text, expected) => {
  expect(compileGlob(pattern).matches(text)).toBe(expected);
});

test.each([
  ['/private', '/private/x', true],
  ['/private/', '/private', false],
  ['/*.php', '/a/index.php?x=1', true],
  ['/*.php$', '/index.php', true],
  ['/*.php$', '/index.php?x', false],
  ['/a*b$', '/a-b-b', true],
  ['/', '/anything', true],
])('the path %s of robots.txt matches %s: %s', (path, text, expected) => {
  expect(compileRobotsPath(path).matches(text)).toBe(expected);
});

test('patterns of any length match as the same regular expressions do', () => {
  const part = fc.constantFrom('a', 'b', '/', '*', '**', 'aa', 'ab');
  const text = fc.array(fc.constantFrom('a', 'b', '/'), { maxLength: 90 }).map((parts) => parts.join(''));
  const pattern = fc.array(part, { maxLength: 70 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(pattern, text, (glob, value) => {
      const source = glob.replaceAll(/\*\*|\*/g, (star) => (star === '**' ? '.*' : '[^/]*'));
      expect(compileGlob(glob).matches(value)).toBe(new RegExp(`^${source}$`, 's').test(value));
    }),
    { numRuns: 2000 },
  );
});
