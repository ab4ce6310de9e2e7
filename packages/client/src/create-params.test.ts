import { expect, test } from 'vitest';
import { connectQuery, createBody, createRequest } from './create-params.ts';

test('options go out under names that every gateway knows, and what is not given stays out', () => {
  const options = { maxLifetime: 600, idleTimeout: 60, profile: 'shop', saveProfile: true, maxBytes: 65_536 };
  expect(createBody({ ...options, closeOnDisconnect: 5 })).toEqual({
    maxLifetime: 600,
    idleTimeout: 60,
    profile: 'shop',
    saveProfile: true,
    max_bytes: 65_536,
    close_on_disconnect: 5,
  });
  expect(connectQuery({ idleTimeout: 60 })).toEqual({ idleTimeout: '60' });
});

test('what the client does not know goes to the service, but for options of the call', () => {
  const options = {
    proxy: 'name:a',
    headles: true,
    newer: undefined,
    retries: 0,
    timeoutMs: 1,
    signal: undefined,
  };
  expect(createRequest({ ...options, idempotencyKey: 'k' } as object)).toEqual({
    proxy: 'name:a',
    headles: true,
  });
});
