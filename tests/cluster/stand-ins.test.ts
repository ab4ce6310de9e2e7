import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type SharedDatabase, sharedDatabase } from '../fixtures/database/shared-database.ts';
import { type Answer, accountCalls } from '../fixtures/gateway/gateway.ts';
import {
  type ClusterGateway,
  openClusterStore,
  type StandInHostProcess,
  startClusterGateway,
  startStandInHost,
} from '../fixtures/service/cluster.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { testEach } from '../fixtures/suite/matrix.ts';

watchLeaks({ wholeFile: true });

/** Three gateways and three hosts of stand-in browsers, in seven processes with PostgreSQL. */
describe('a cluster', () => {
  let database: SharedDatabase;
  let store: Awaited<ReturnType<typeof openClusterStore>>;
  let gateways: ClusterGateway[];
  let hosts: StandInHostProcess[];

  beforeAll(async () => {
    database = await sharedDatabase();
    store = await openClusterStore(database.url);
    gateways = await Promise.all(
      [0, 1, 2].map(() => startClusterGateway(database.url, { TURNPIKE_CREATE_TIMEOUT: '10' })),
    );
    const regions = ['eu', 'eu', 'us'];
    // One browser on a host of ten seats is a step of load, so that a gateway's second goes to another host.
    hosts = await Promise.all(
      regions.map((region, index) =>
        startStandInHost(`host-${index}`, gateways, {
          TURNPIKE_HOST_REGION: region,
          TURNPIKE_HOST_SEATS: '10',
        }),
      ),
    );
    await store.hostsTakeWork(3);
  });

  afterEach(async () => {
    for (const host of hosts) await host.tell({ open: 'ok' });
  });

  afterAll(async () => {
    await Promise.all([...hosts, ...gateways].map((part) => part[Symbol.asyncDispose]()));
    await store[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  /** Counts this cluster only; others may run beside it. */
  const browsers = () => hosts.flatMap((host) => host.browsers());
  const hostOf = (name: string): StandInHostProcess => {
    const host = hosts.find((candidate) => candidate.name === name);
    if (!host) throw new Error(`no host ${name}`);
    return host;
  };
  const hostNameOf = (answer: Answer): string => answer.json.metadata.turnpike.host;
  const callers = (key: string) => gateways.map(({ url }) => accountCalls(url, key));
  const account = async (limits = {}) => {
    const [first, second, third] = callers(await store.account({ concurrent_limit: null, ...limits }));
    if (!first || !second || !third) throw new Error('three gateways');
    return { first, second, third, all: [first, second, third] };
  };

  test('racing creates on all gateways give exactly the limit, spread over the hosts', async () => {
    const { all, first } = await account({ concurrent_limit: 6 });
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => all[i % 3]?.create()));
    const opened = answers.filter((answer) => answer?.status === 200);
    expect(opened).toHaveLength(6);
    expect(answers.filter((answer) => answer?.json?.code === 'CONCURRENCY_LIMIT')).toHaveLength(54);
    expect((await first.get('/user/api/limits')).json).toMatchObject({ active: 6, remaining: 0 });
    expect(new Set(opened.map((answer) => hostNameOf(answer as Answer))).size).toBeGreaterThan(1);
    const ids = opened.map((answer) => answer?.json.browserId);
    for (const id of ids) expect(browsers()).toContain(id);
    // Each from another gateway than it may have been made on.
    const closed = await Promise.all(ids.map((id, i) => all[(i + 1) % 3]?.close(id)));
    for (const answer of closed) expect(answer).toMatchObject({ status: 200, json: { status: 'CLOSED' } });
    for (const id of ids) expect(browsers()).not.toContain(id);
  });

  test('racing creates on all gateways pass the rate window exactly as often as it allows', async () => {
    const { all } = await account({ creates_per_minute: 20 });
    const answers = await Promise.all(
      Array.from({ length: 45 }, (_, i) => all[i % 3]?.create({ proxy: 'not a proxy' })),
    );
    expect(answers.filter((answer) => answer?.json?.code === 'PROXY_INVALID')).toHaveLength(20);
    expect(answers.filter((answer) => answer?.json?.code === 'RATE_LIMIT')).toHaveLength(25);
  });

  test('a region is honoured, recorded and, where there is none such, a matter of capacity', async () => {
    const { first } = await account();
    const opened = await Promise.all([1, 2, 3, 4].map(() => first.create({ region: 'us' })));
    for (const answer of opened) {
      expect(answer.json).toMatchObject({
        browserParams: { region: 'us' },
        metadata: { turnpike: { host: 'host-2', region: 'us' } },
      });
    }
    const nowhere = await first.connect({ region: 'mars' });
    expect([nowhere.status, nowhere.headers.get('x-error-code')]).toEqual([503, 'CAPACITY']);
    const malformed = await first.create({ region: 'EU West' });
    expect(malformed.status).toBe(400);
    expect(malformed.json.error).toMatch(/^Malformed browser params: region must be/);
    await Promise.all(opened.map(({ json }) => first.close(json.browserId)));
  });

  testEach<'fail' | 'hang'>({ quick: ['fail'], slow: ['hang'] })(
    'a host whose opens %s is passed over, and nothing of the attempt is left',
    async (fault) => {
      const { first, second } = await account({ concurrent_limit: 2 });
      // Both hosts of the region but one, so that the first choice is often wrong.
      await hostOf('host-0').tell({ open: fault });
      const gateway = fault === 'hang' ? second : first;
      await expect.poll(browsers).toEqual([]);
      const opened = await Promise.all([1, 2].map(() => gateway.create({ region: 'eu' })));
      for (const answer of opened) expect([answer.status, hostNameOf(answer)]).toEqual([200, 'host-1']);
      const ids = opened.map(({ json }) => json.browserId);
      await expect.poll(() => browsers().sort()).toEqual(ids.toSorted());
      expect((await first.get('/user/api/limits')).json).toMatchObject({ active: 2 });
      await Promise.all(ids.map((id) => first.close(id)));
    },
  );

  test('a browser that crashes is DEAD on every gateway, and its bytes are counted', async () => {
    const { first, second } = await account();
    const { json } = await first.create();
    const host = hostOf(json.metadata.turnpike.host);
    await host.tell({ transfer: { sessionId: json.browserId, bytesUp: 10, bytesDown: 2000 } });
    await host.tell({ crash: json.browserId });
    await expect
      .poll(async () => (await second.get(`/api/browser/${json.browserId}/status`)).json.status)
      .toBe('DEAD');
    const [record] = (await second.get('/user/api/sessions')).json.sessions;
    expect(record).toMatchObject({ bytesUp: 10, bytesDown: 2000, billedSeconds: 30 });
  });
});
