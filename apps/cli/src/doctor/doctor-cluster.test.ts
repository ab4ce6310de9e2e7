import { PrivateServer } from '@turnpike/cluster/private-server';
import { readHostConfig } from '@turnpike/host/config';
import { createLogger } from '@turnpike/process/logger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Certificates,
  issueCertificate,
  makeCertificates,
} from '../../../../tests/fixtures/network/certificates.ts';
import {
  type ScratchDirectory,
  scratchDirectory,
} from '../../../../tests/fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import {
  checkClusterCertificates,
  checkClusterSecret,
  checkGateways,
  checkPublicCertificate,
} from './cluster-checks.ts';
import { examine } from './doctor.ts';

watchLeaks({ wholeFile: true });

const secret = 'c96c1b2ab5e25e1d4e6f8d7c0b3a9182';
const day = 24 * 60 * 60_000;

let directory: ScratchDirectory;
let own: Certificates;
beforeAll(async () => {
  directory = await scratchDirectory('doctor');
  own = await makeCertificates(directory.path);
});
afterAll(() => directory[Symbol.asyncDispose]());

const tlsEnv = ({ caFile, certFile, keyFile }: Certificates) => ({
  TURNPIKE_CLUSTER_TLS_CA: caFile,
  TURNPIKE_CLUSTER_TLS_CERT: certFile,
  TURNPIKE_CLUSTER_TLS_KEY: keyFile,
});

describe("turnpike doctor on a cluster's settings finds, with advice,", () => {
  it('a secret that is missing, short or can be guessed', () => {
    const missing = checkClusterSecret({});
    expect(missing).toMatchObject({ level: 'fail', what: 'TURNPIKE_CLUSTER_SECRET is not set' });
    expect(missing.advice).toContain('openssl rand -hex 32');
    const short = checkClusterSecret({ TURNPIKE_CLUSTER_SECRET: 'hunter2' });
    expect(short).toMatchObject({ level: 'fail', what: expect.stringContaining('at least 32 characters') });
    expect(JSON.stringify(short)).not.toContain('hunter2');
    expect(checkClusterSecret({ TURNPIKE_CLUSTER_SECRET: 'x'.repeat(64) })).toMatchObject({ level: 'warn' });
    expect(checkClusterSecret({ TURNPIKE_CLUSTER_SECRET: secret })).toMatchObject({ level: 'ok' });
  });

  it('certificates that cannot be read, are incomplete, over, of another authority, for another name or use', async () => {
    const look = (files: Partial<Record<string, string>>, now = Date.now(), env = {}) =>
      checkClusterCertificates({ ...tlsEnv(own), ...files, ...env }, 'host', now);
    expect(look({})).toMatchObject({
      level: 'warn',
      what: expect.stringMatching(/^TURNPIKE_CLUSTER_TLS_CERT is valid until/),
    });
    expect(look({ TURNPIKE_CLUSTER_TLS_KEY: '/nowhere.key' })).toMatchObject({
      level: 'fail',
      what: expect.stringMatching(/^TURNPIKE_CLUSTER_TLS_KEY names a file that cannot be read/),
    });
    expect(look({ TURNPIKE_CLUSTER_TLS_CA: '' })).toMatchObject({
      level: 'fail',
      what: expect.stringMatching(/^TURNPIKE_CLUSTER_TLS_CA must be set together with/),
    });
    expect(look({}, Date.now() + 3 * day)).toMatchObject({
      level: 'fail',
      what: expect.stringMatching(/^TURNPIKE_CLUSTER_TLS_CERT expired on 20/),
    });
    expect(look({}, Date.now() - day)).toMatchObject({
      level: 'fail',
      what: expect.stringContaining('only from'),
    });
    await using other = await scratchDirectory('doctor');
    const foreign = await makeCertificates(other.path);
    expect(look({ TURNPIKE_CLUSTER_TLS_CA: foreign.caFile })).toMatchObject({
      level: 'fail',
      what: expect.stringContaining('is not of the authority in TURNPIKE_CLUSTER_TLS_CA'),
    });
    const named = { TURNPIKE_HOST_PRIVATE_URL: 'https://eu-1.internal:8091' };
    expect(look({}, Date.now(), named)).toMatchObject({
      level: 'fail',
      what: expect.stringContaining('is not for https://eu-1.internal:8091: '),
      advice: expect.any(String),
    });
    const forServers = await issueCertificate(directory.path, 'servers', [
      'subjectAltName=IP:127.0.0.1',
      'extendedKeyUsage=serverAuth',
    ]);
    expect(look(tlsEnv(forServers))).toMatchObject({
      level: 'fail',
      what: expect.stringContaining('cannot be used by clients'),
    });
    expect(checkClusterCertificates({}, 'gateway', Date.now())).toMatchObject({ level: 'ok' });
  });

  it('a certificate of the public side that is not for the name that clients are told', () => {
    const env = { TURNPIKE_HOST_TLS_CERT: own.certFile, TURNPIKE_HOST_TLS_KEY: own.keyFile };
    const look = (more: object) => checkPublicCertificate(readHostConfig({ ...env, ...more }), Date.now());
    expect(look({ TURNPIKE_HOST_PUBLIC_URL: 'wss://localhost' })).toMatchObject({ level: 'warn' });
    expect(look({ TURNPIKE_HOST_PUBLIC_URL: 'wss://eu-1.browsers.example' })).toMatchObject({
      level: 'fail',
      what: expect.stringContaining('is not for wss://eu-1.browsers.example'),
    });
  });

  it('a gateway that does not answer, has another secret or speaks TLS, and none where it answers', async () => {
    const serve = async (tls: boolean, ownSecret: string) => {
      const { clusterTls } = await import('@turnpike/cluster/cluster-settings');
      const server = new PrivateServer({
        secret: ownSecret,
        tls: tls ? clusterTls(tlsEnv(own)) : undefined,
        logger: createLogger('silent'),
        answer: async () => ({ status: 404, body: '{"message":"no such call"}' }),
      });
      await server.listen(0, '127.0.0.1');
      return { port: server.port, [Symbol.asyncDispose]: () => server.close(0) };
    };
    await using plain = await serve(false, secret);
    await using sealed = await serve(true, secret);
    await using stranger = await serve(false, 'another secret that is long enough');
    const look = (urls: string, env = {}) =>
      checkGateways({ TURNPIKE_CLUSTER_SECRET: secret, TURNPIKE_GATEWAY_URL: urls, ...env });
    const at = (scheme: string, { port }: { port: number }) => `${scheme}://127.0.0.1:${port}`;
    expect(await look(`${at('http', plain)},http://127.0.0.1:1`)).toMatchObject([
      { level: 'ok', what: `the gateway at ${at('http', plain)} answers` },
      { level: 'fail', what: expect.stringContaining('http://127.0.0.1:1: ') },
    ]);
    expect(await look(at('http', stranger))).toMatchObject([
      { level: 'fail', what: expect.stringContaining("not signed with the cluster's secret") },
    ]);
    expect(await look(at('http', sealed))).toMatchObject([
      { level: 'fail', what: expect.stringContaining('call it by https://') },
    ]);
    expect(await look(at('https', sealed), tlsEnv(own))).toMatchObject([{ level: 'ok' }]);
    expect(await look('gateway:8090')).toMatchObject([
      { level: 'fail', what: expect.stringMatching(/^TURNPIKE_GATEWAY_URL must be/) },
    ]);
  });

  it('each of them for the part that runs there, and nothing of browsers where none run', async () => {
    const whatOf = async (...args: Parameters<typeof examine>) =>
      (await examine(...args)).map(({ what }) => what);
    const ports = { TURNPIKE_PORT: '0', TURNPIKE_PRIVATE_PORT: '0', TURNPIKE_PROXY_PORT: '0' };
    const database = { DATABASE_URL: 'postgres://u:s3cret@127.0.0.1:1/db' };
    const gateway = await whatOf({ ...ports, ...database }, 'gateway');
    expect(gateway).toContain('TURNPIKE_CLUSTER_SECRET is not set');
    expect(gateway).toContain('TURNPIKE_SECRET_KEY is not set');
    expect(gateway).toContain('PostgreSQL does not answer (127.0.0.1:1)');
    expect(gateway.join()).not.toMatch(/Chromium|s3cret/);
    const proxy = await whatOf(ports, 'proxy');
    expect(proxy).toContain('DATABASE_URL is not set: only parts on this machine share its store');
    expect(proxy.join()).not.toMatch(/Chromium|CLUSTER/);
    // By its settings a host.
    const host = await whatOf({
      ...ports,
      TURNPIKE_HOST_PORT: '0',
      TURNPIKE_HOST_PRIVATE_PORT: '0',
      TURNPIKE_GATEWAY_URL: 'http://127.0.0.1:1',
    });
    expect(host).toContain('TURNPIKE_CLUSTER_SECRET is not set');
    expect(host.join()).toMatch(/Chromium \d+/);
  });
});
