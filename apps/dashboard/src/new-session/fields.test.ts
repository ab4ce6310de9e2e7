import { expect, test } from 'vitest';
import { proxyNames } from '../parts/forms/proxy-values.ts';
import { shellQuoted } from '../parts/values/shell-quoted.ts';
import { createSnippets, pythonLiteral } from './create-snippets.ts';
import {
  allFields,
  bodyOf,
  browserFields,
  deviceFields,
  flagFields,
  initialValues,
  objectFields,
  proxyFields,
  valuesFrom,
} from './fields.ts';

test('each parameter has one place in the form', () => {
  const shown = [proxyFields, browserFields, flagFields, deviceFields, objectFields].flat();
  expect([...proxyNames, ...shown.map(({ name }) => name)].sort()).toEqual(
    allFields.map(({ name }) => name).sort(),
  );
  expect(allFields.map(({ name }) => name)).not.toContain('sessionId');
});

test('what is left out is not sent, and what cannot be read is sent as typed', () => {
  expect(bodyOf(initialValues)).toEqual({ vnc: true });
  const typed = {
    ...initialValues,
    maxLifetime: ' 600 ',
    screen_width_min: 'wide',
    metadata: '{',
    os: 'linux',
  };
  expect(bodyOf(typed)).toEqual({
    vnc: true,
    maxLifetime: 600,
    screen_width_min: 'wide',
    metadata: '{',
    os: 'linux',
  });
  expect(bodyOf({ ...initialValues, metadata: '{"job": 42}' })['metadata']).toEqual({ job: 42 });
});

test('a choice that nothing stands for is not sent', () => {
  const exit = proxyFields.find(({ name }) => name === 'proxy_pin_exit');
  expect(exit?.choices?.map(({ value }) => value)).toEqual(['', 'true', 'stop']);
  expect(bodyOf({ ...initialValues, proxy_pin_exit: 'true' })).toEqual({ vnc: true, proxy_pin_exit: 'true' });
});

test('a session like another one starts with its parameters, but its proxy lacks the password', () => {
  const values = valuesFrom({
    os: 'macos',
    headless: true,
    vnc: false,
    proxy: 'http://u:***@proxy.example:1',
    maxLifetime: 120,
  });
  expect(bodyOf(values)).toEqual({
    os: 'macos',
    headless: true,
    proxy: 'http://u:@proxy.example:1',
    maxLifetime: 120,
  });
});

test('snippets survive quotes in what was typed', () => {
  expect(shellQuoted(`it's`)).toBe(String.raw`'it'\''s'`);
  expect(pythonLiteral({ a: [true, null, 'x"y'], b: 1 })).toBe(
    String.raw`{"a": [True, None, "x\"y"], "b": 1}`,
  );
  const [curl, node, python] = createSnippets({ force_visibility: true, maxLifetime: 600 }, 'http://gateway');
  expect(curl?.code).toContain('"force_visibility": true');
  expect(node?.code).toContain('forceVisibility: true');
  expect(python?.code).toContain('max_lifetime=600');
});
