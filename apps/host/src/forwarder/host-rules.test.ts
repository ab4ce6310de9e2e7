import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileHostRules } from './host-rules.ts';

const at = (host: string) => ({ host, port: 443 });

it('without rules there is nothing to decide', () => {
  expect(compileHostRules({})).toBeUndefined();
});

it.each([
  ['example.com', undefined],
  ['EXAMPLE.COM.', undefined],
  ['a.example.org', undefined],
  ['example.org', 'allow_hosts'],
  ['evil.net', 'allow_hosts'],
  ['example.com.evil.net', 'allow_hosts'],
  ['notexample.com', 'allow_hosts'],
  ['bad.example.org', 'block_hosts'],
  ['127.0.0.1', 'allow_hosts'],
  ['10.0.0.1', undefined],
  ['::ffff:10.0.0.1', undefined],
  ['0xa.1', undefined],
  ['ex%61mple.com', 'allow_hosts'],
  ['', 'allow_hosts'],
])('of %j it says %s', (host, reason) => {
  const refuses = compileHostRules({
    allowHosts: ['example.com', '*.example.org', '10.0.0.1'],
    blockHosts: ['bad.example.org'],
  });
  expect(refuses?.(at(host))).toBe(reason);
});

it('a host that cannot be read is refused by a list of blocked hosts too', () => {
  const refuses = compileHostRules({ blockHosts: ['a.test'] });
  expect(refuses?.(at('a%2etest'))).toBe('block_hosts');
  expect(refuses?.(at('b.test'))).toBeUndefined();
});

const name = fc
  .array(fc.stringMatching(/^[a-c]$/), { minLength: 1, maxLength: 4 })
  .map((labels) => labels.join('.'));
const pattern = fc.tuple(fc.boolean(), name).map(([isWild, base]) => (isWild ? `*.${base}` : base));
const matches = (host: string, patterns: readonly string[]) =>
  patterns.some((one) => (one.startsWith('*.') ? host.endsWith(one.slice(1)) : host === one));

it('reaches what is allowed and not blocked, and nothing else', () => {
  const list = fc.option(fc.array(pattern, { maxLength: 5 }), { nil: undefined });
  fc.assert(
    fc.property(name, list, list, (host, allowHosts, blockHosts) => {
      const reached = compileHostRules({ allowHosts, blockHosts })?.(at(host)) === undefined;
      const isAllowed = !allowHosts || matches(host, allowHosts);
      expect(reached).toBe(isAllowed && !matches(host, blockHosts ?? []));
    }),
    { numRuns: 1000 },
  );
});
