// @module-tag slow

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type SharedDatabase, sharedDatabase } from '../fixtures/database/shared-database.ts';
import { type Answer, accountCalls } from '../fixtures/gateway/gateway.ts';
import { type Certificates, issueCertificate, makeCertificates } from '../fixtures/network/certificates.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import {
  type ClusterGateway,
  type ClusterHost,
  type ClusterStore,
  openClusterStore,
  startClusterGateway,
  startClusterHost,
  startStandInHost,
} from '../fixtures/service/cluster.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { asker } from '../isolation/steady-client.ts';
import { type LocalProxy, startLocalProxy } from '../live-view/local-proxy.ts';

watchLeaks({ wholeFile: true });

const tlsEnv = ({ caFile, certFile, keyFile }: Certificates) => ({
  TURNPIKE_CLUSTER_TLS_CA: caFile,
  TURNPIKE_CLUSTER_TLS_CERT: certFile,
  TURNPIKE_CLUSTER_TLS_KEY: keyFile,
});

/** Two gateways and a host with real browsers, in processes of their own, whose every port but the API's is TLS. */
describe('a cluster with certificates', () => {
  const all = new AsyncDisposableStack();
  let own: Certificates;
  let foreign: Certificates;
  let otherName: Certificates;
  let store: ClusterStore;
  let gateways: ClusterGateway[];
  let host: ClusterHost;
  let proxy: LocalProxy;
  let key: string;

  beforeAll(async () => {
    const [ours, theirs] = [all.use(await scratchDirectory('tls')), all.use(await scratchDirectory('tls'))];
    [own, foreign] = await Promise.all([makeCertificates(ours.path), makeCertificates(theirs.path)]);
    otherName = await issueCertificate(ours.path, 'other', ['subjectAltName=DNS:other.example']);
    const database: SharedDatabase = all.use(await sharedDatabase());
    store = all.use(await openClusterStore(database.url));
    proxy = all.use(await startLocalProxy());
    // Bound to all of loopback, so that one of its addresses can be one that the certificate does not name.
    const env = { ...tlsEnv(own), TURNPIKE_PRIVATE_BIND: '0.0.0.0' };
    gateways = await Promise.all(
      [0, 1].map(async () => all.use(await startClusterGateway(database.url, env))),
    );
    host = await startClusterHost('sealed', gateways.map(called), {
      ...tlsEnv(own),
      TURNPIKE_HOST_TLS_CERT: own.certFile,
      TURNPIKE_HOST_TLS_KEY: own.keyFile,
      TURNPIKE_HOST_UID_BASE: '410000',
    });
    all.defer(async () => void (await host.stop()));
    await store.hostsTakeWork(1);
    key = await store.account({ concurrent_limit: null });
  });
  afterAll(() => all.disposeAsync());

  const called = ({ privateUrl }: ClusterGateway) => ({
    privateUrl: privateUrl.replace('0.0.0.0', '127.0.0.1'),
  });
  const calls = (gateway: number) =>
    accountCalls(gateways[gateway]?.url ?? '', key, `http://127.0.0.1:${proxy.proxy.port}`);
  const create = async (gateway: number): Promise<Answer['json']> => {
    const answer = await calls(gateway).create({ headless: true });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.json;
  };

  test('has every private connection encrypted, and a session is opened, driven over wss and closed', async () => {
    for (const { privateUrl } of gateways) expect(privateUrl).toMatch(/^https:/);
    const { private_url } = await store.db.selectFrom('hosts').selectAll().executeTakeFirstOrThrow();
    expect(private_url).toMatch(/^https:\/\/127\.0\.0\.1:/);
    const { browserId, cdpUrl } = await create(0);
    expect(cdpUrl).toMatch(/^wss:\/\/127\.0\.0\.1:/);

    const socket = new WebSocket(cdpUrl, { ca: await readFile(own.caFile) });
    await once(socket, 'open');
    const ask = asker(socket, 10_000);
    const { targetId } = await ask('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true });
    const { result } = await ask('Runtime.evaluate', { expression: '6 * 7' }, sessionId);
    expect(result.value).toBe(42);

    const closed = once(socket, 'close');
    expect((await calls(1).close(browserId)).json).toEqual({ browserId, status: 'CLOSED' });
    const [code, reason] = await closed;
    expect([code, String(reason)]).toEqual([4000, 'CLOSED']);
  });

  test('has no CDP for who does not trust its certificate, or does not speak TLS', async () => {
    const { browserId, cdpUrl } = await create(1);
    const failure = async (url: string, ca?: string) => {
      const [error] = await once(new WebSocket(url, ca ? { ca } : {}), 'error');
      return (error as Error).message;
    };
    expect(await failure(cdpUrl)).toMatch(/unable to verify the first certificate/);
    expect(await failure(cdpUrl, await readFile(foreign.caFile, 'utf8'))).toMatch(
      /self-signed certificate|unable to verify/,
    );
    expect(await failure(cdpUrl.replace('127.0.0.1', 'localhost').replace('wss:', 'ws:'))).toMatch(/hang up/);
    await calls(0).close(browserId);
  });

  /** A host that does not belong here: what it says about it, and what a gateway does. */
  const stray = async (
    env: Record<string, string>,
    url = called(gateways[0] as ClusterGateway).privateUrl,
  ) => {
    const host = await startStandInHost('stray', [{ privateUrl: url }], { ...tlsEnv(own), ...env });
    return {
      says: (words: string) => expect.poll(() => host.logs()).toContain(words),
      [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
    };
  };
  const gatewaySays = (words: string) => expect.poll(() => gateways[0]?.logs()).toContain(words);
  const without = {
    TURNPIKE_CLUSTER_TLS_CA: '',
    TURNPIKE_CLUSTER_TLS_CERT: '',
    TURNPIKE_CLUSTER_TLS_KEY: '',
  };

  test('lets in no host of another authority, nor does such a host take the gateway for one', async () => {
    await using distrustful = await stray(tlsEnv(foreign));
    await distrustful.says('its certificate is not of the authority in TURNPIKE_CLUSTER_TLS_CA');
    await using impostor = await stray({ ...tlsEnv(foreign), TURNPIKE_CLUSTER_TLS_CA: own.caFile });
    await impostor.says('if it refuses our certificate, its log says so');
    await gatewaySays('refused a private connection: its certificate is not of the authority');
  });

  test('lets in no host by another secret, by another name or without TLS', async () => {
    const port = new URL(gateways[0]?.privateUrl ?? '').port;
    await using ignorant = await stray({ TURNPIKE_CLUSTER_SECRET: 'another secret, and long enough too' });
    await using lost = await stray({}, `https://127.0.0.2:${port}`);
    await using plain = await stray(without, `http://127.0.0.1:${port}`);
    await ignorant.says("gave an answer (401) that is not signed with the cluster's secret");
    await gatewaySays('refused a private call: it was signed with another secret');
    await lost.says('its certificate is for another name: IP: 127.0.0.2 is not in the cert');
    await plain.says('if it speaks TLS, call it by https://');
    await gatewaySays('refused a private connection: it was not TLS');
    const hosts = await store.db.selectFrom('hosts').select('name').execute();
    expect(hosts).toEqual([{ name: 'sealed' }]);
  });

  test('has no host start that gateways would refuse, or that would call them in the clear', async () => {
    await expect(stray(tlsEnv(otherName))).rejects.toThrow(
      /TURNPIKE_CLUSTER_TLS_CERT is not for https:\/\/127\.0\.0\.1:\d+, where gateways call: .*127\.0\.0\.1/,
    );
    await expect(stray({}, 'http://127.0.0.1:1')).rejects.toThrow(
      "TURNPIKE_GATEWAY_URL must be the gateways' private URL, such as https://gateway:8090",
    );
    await expect(stray({ TURNPIKE_HOST_PRIVATE_URL: 'http://127.0.0.1:1' })).rejects.toThrow(
      'TURNPIKE_HOST_PRIVATE_URL must be a URL that starts with https://',
    );
  });
});
