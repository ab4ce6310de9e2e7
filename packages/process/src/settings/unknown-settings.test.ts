import { expect, test } from 'vitest';
import { settings } from './setting-table.ts';
import { refuseMisspeltSettings, unknownSettings } from './unknown-settings.ts';

test.each([
  ['TURNPIKE_PROT', 'TURNPIKE_PORT'],
  ['TURNPIKE_DATADIR', 'TURNPIKE_DATA_DIR'],
  ['TURNPIKE_HOSTNAME', 'TURNPIKE_HOST_NAME'],
  ['TURNPIKE_HOST_SEAT', 'TURNPIKE_HOST_SEATS'],
  ['TURNPIKE_DATABASE_URL', 'DATABASE_URL'],
  ['TURNPIKE_CLUSTER_SECERT', 'TURNPIKE_CLUSTER_SECRET'],
  ['TURNPIKE_RECORDING_URL', 'TURNPIKE_RECORDINGS_URL'],
  ['TURNPIKE_APIKEY', 'TURNPIKE_API_KEY'],
])('%s stops the start: the nearest is %s', (name, nearest) => {
  expect(() => refuseMisspeltSettings({ PATH: '/bin', [name]: '1' })).toThrow(
    `${name} is not a setting of Turnpike; did you mean ${nearest}?`,
  );
});

test('every known name is fine, and so are those of tests and of other programs', () => {
  const known = Object.fromEntries(Object.keys(settings).map((name) => [name, '']));
  const env = {
    ...known,
    TURNPIKE_TEST_SUITE: 'all',
    PATH: '/bin',
    turnpike_prot: '1',
    NOT_TURNPIKE_PROT: '1',
  };
  expect(unknownSettings(env)).toEqual([]);
});

test('what is near to no setting is unknown and stops nothing: Kubernetes names services like this', () => {
  const services = [
    'TURNPIKE',
    'TURNPIKE_GATEWAY',
    'TURNPIKE_GATEWAY_PRIVATE',
    'TURNPIKE_PROXY',
    'TURNPIKE_HOST',
  ];
  const names = services.flatMap((service) => [
    `${service}_SERVICE_HOST`,
    `${service}_SERVICE_PORT`,
    `${service}_SERVICE_PORT_HTTP`,
    `${service}_PORT_8080_TCP`,
    `${service}_PORT_8080_TCP_ADDR`,
    `${service}_PORT_8080_TCP_PORT`,
    `${service}_PORT_8080_TCP_PROTO`,
  ]);
  const env = Object.fromEntries(
    [...names, 'TURNPIKE_GATEWAY_PORT', 'TURNPIKE_BACKUP_BUCKET'].map((n) => [n, 'x']),
  );
  expect(unknownSettings(env).filter(({ nearest }) => nearest !== undefined)).toEqual([]);
  expect(unknownSettings(env)).toHaveLength(names.length + 2);
  refuseMisspeltSettings(env);
});
