import { expect, test } from 'vitest';
import { createParameters } from '../create-parameters.ts';
import type { OpenRequest } from '../host.ts';
import { abilitiesAskedFor, earliestAbilities, hostAbilities } from './host-abilities.ts';

const request: OpenRequest = {
  sessionId: 'br_000000000000000000000000',
  cdpId: '',
  viewerToken: '',
  lifetimeMs: 1,
  timeoutMs: 1,
  proxy: { scheme: 'http', host: 'proxy.example', port: 1, addresses: [] },
  params: { os: 'windows', headless: false, vnc: false, forceVisibility: false },
};

test('a host announces every parameter that reaches it, and those of the first version are among them', () => {
  for (const [name, parameter] of Object.entries(createParameters))
    if ('host' in parameter) expect(hostAbilities).toContain(name);
  // By the first name: gateways of the version before look for it.
  expect(hostAbilities).toEqual(expect.arrayContaining(['idleTimeout', 'profile', 'cache', 'extensions']));
  expect(hostAbilities).toEqual(expect.arrayContaining([...earliestAbilities]));
});

test('what is absent, off or at its default is not asked for', () => {
  expect(abilitiesAskedFor(request)).toEqual([]);
  expect(abilitiesAskedFor({ ...request, params: { ...request.params, stealth: false } })).toEqual([]);
  const params = {
    ...request.params,
    os: 'linux',
    maxBytes: 65_536,
    allowHosts: [],
    recordPictures: 0,
  } as const;
  expect(abilitiesAskedFor({ ...request, params, cache: {}, extensions: [], idleMs: 1 })).toEqual([
    ...['os', 'idleTimeout', 'allow_hosts', 'max_bytes', 'cache', 'extensions', 'record_pictures'],
  ]);
});
