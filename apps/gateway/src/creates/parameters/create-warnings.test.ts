import { expect, test } from 'vitest';
import { createWarnings } from './create-warnings.ts';

test('a create with names and values of the contract has nothing to warn of', () => {
  const query = { proxy: 'http://u:p@h:1', os: 'linux', headless: 'true', vnc: 'false', maxLifetime: '0' };
  expect(createWarnings({ ...query, token: 'k', metadata: '{}', force_visibility: '' })).toEqual([]);
  expect(createWarnings({ browserParams: query, idleTimeout: 60, save_profile: true })).toEqual([]);
});

test('a mistyped name is told with the one that was meant', () => {
  expect(
    createWarnings({ headles: 'true', screenWidthMin: 1, 'max-lifetime': 9, saveprofile: true }),
  ).toEqual([
    'headles: unknown parameter; did you mean headless?',
    'screenWidthMin: unknown parameter; did you mean screen_width_min?',
    'max-lifetime: unknown parameter; did you mean maxLifetime?',
    'saveprofile: unknown parameter; did you mean save_profile?',
  ]);
  expect(createWarnings({ browserParams: { keepAlive: 1 } })).toEqual(['keepAlive: unknown parameter']);
  expect(createWarnings({ widh: 1 }, ['width'])).toEqual(['widh: unknown parameter; did you mean width?']);
  expect(createWarnings({ width: 1 }, ['width'])).toEqual([]);
});

test('a value that is changed or ignored is told', () => {
  expect(createWarnings({ maxLifetime: '30' })).toEqual([
    'maxLifetime: 30 is not from 120 to 86400; 120 is used',
  ]);
  expect(createWarnings({ maxLifetime: 1e6 })).toEqual([
    'maxLifetime: 1000000 is not from 120 to 86400; 86400 is used',
  ]);
  expect(createWarnings({ headless: 'yes' })).toEqual([
    'headless: only true turns it on; "yes" counts as false',
  ]);
  expect(createWarnings({ vnc: true, headless: 'true' })).toHaveLength(1);
});

test('however many unknown names there are and however long, little is said', () => {
  const names = Array.from({ length: 10_000 }, (_, index) => [`${'x'.repeat(1000)}${index}`, 1]);
  const warnings = createWarnings(Object.fromEntries(names));
  expect(warnings).toHaveLength(10);
  expect(warnings.join('').length).toBeLessThan(1000);
});
