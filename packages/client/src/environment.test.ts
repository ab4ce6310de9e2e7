import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withEnvironment } from './environment.ts';

beforeEach(() => {
  vi.stubEnv('TURNPIKE_URL', 'http://gateway');
  vi.stubEnv('TURNPIKE_API_KEY', 'key');
  vi.stubEnv('TURNPIKE_PROXY', 'name:shop');
});
afterEach(() => void vi.unstubAllEnvs());

test('a client without options is that of the environment', () => {
  expect(withEnvironment({})).toEqual({ endpoint: 'http://gateway', apiKey: 'key', proxy: 'name:shop' });
  const given = { endpoint: 'http://other', proxy: 'name:own' };
  expect(withEnvironment(given)).toEqual({ ...given, apiKey: 'key' });
});

test('a client with a key of its own does not use the proxy of the environment, which is of another account', () => {
  expect(withEnvironment({ apiKey: 'own' })).toEqual({
    endpoint: 'http://gateway',
    apiKey: 'own',
    proxy: undefined,
  });
});

test('what is missing is said, with the variable that has it', () => {
  vi.stubEnv('TURNPIKE_API_KEY', '');
  expect(() => withEnvironment({})).toThrow('apiKey is required. Pass it, or set TURNPIKE_API_KEY.');
  vi.stubEnv('TURNPIKE_URL', undefined);
  expect(() => withEnvironment({ apiKey: 'own' })).toThrow('set TURNPIKE_URL');
});
