import { unobserved } from '@turnpike/process/observation';
import { type Engine, startTestGateway, type TestGateway } from '../tests/fixtures/gateway.ts';
import { scratchDirectory } from '../tests/fixtures/scratch-directory.ts';
import { median } from './measure.ts';

const rounds = 15;
const metric = 'turnpike_gateway_store_duration_seconds';

/** Statements by operation, as the gateway's own metrics count them. */
type Statements = Record<string, number>;

/** A table's rows: what each call costs, on either engine. */
export async function storeCosts(postgresUrl: string): Promise<(string | number)[][]> {
  await using directory = await scratchDirectory('store-cost');
  const sqlite = await costsOn('sqlite', `${directory.path}/store.sqlite`);
  const postgres = await costsOn('postgres', postgresUrl);
  return [...postgres].map(([what, cost]) => {
    const { begin = 0, commit = 0, select = 0, ...writes } = cost;
    const written = total(writes);
    // A statement outside of a transaction is one by itself.
    const transactions = begin > 0 ? begin : written;
    return [
      what,
      total(sqlite.get(what) ?? {}),
      written + select + begin + commit,
      transactions,
      written,
      select,
    ];
  });
}

async function costsOn(engine: Engine, where: string): Promise<Map<string, Statements>> {
  const location = engine === 'sqlite' ? { engine, file: where } : { engine, url: where };
  const observation = unobserved();
  await using gateway = await startTestGateway(location, { observation });
  const account = await gateway.account({ concurrent_limit: null, creates_per_minute: 1000 });
  const full = await gateway.account({ concurrent_limit: 0, creates_per_minute: 1000 });
  const opened: string[] = [];
  const calls: [string, () => Promise<unknown>][] = [
    ['create', async () => opened.push((await account.create()).json.browserId)],
    ['create, refused with 429', () => full.create()],
    ['status', () => account.get(`/api/browser/${opened[0]}/status`)],
    ['limits', () => account.get('/user/api/limits')],
    ['reconnect', () => account.connect({ sessionId: opened[0] ?? '' })],
    ['heartbeat of a host with 15 sessions', () => beat(gateway)],
    ['close', () => account.close(opened.pop() ?? '')],
  ];
  const costs = new Map<string, Statements>();
  for (const [what, call] of calls) {
    const seen: Statements[] = [];
    for (let round = 0; round < rounds; round++) {
      const before = await statements(gateway);
      await call();
      seen.push(difference(before, await statements(gateway)));
    }
    costs.set(what, medians(seen));
  }
  return costs;
}

async function beat({ running }: TestGateway): Promise<void> {
  for (const { membership } of running.gateway.hosts.local()) await membership.beat();
}

async function statements({ observation }: TestGateway): Promise<Statements> {
  const text = await observation.registry.getSingleMetricAsString(metric);
  const counts = text.matchAll(/_count\{operation="(\w+)"\} (\d+)/g);
  return Object.fromEntries(Array.from(counts, ([, operation, count]) => [operation, Number(count)]));
}

const difference = (before: Statements, after: Statements): Statements =>
  Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]));

/** Leases are kept meanwhile, once in a while: that is not the call's. */
function medians(seen: readonly Statements[]): Statements {
  const names = new Set(seen.flatMap((one) => Object.keys(one)));
  return Object.fromEntries([...names].map((name) => [name, median(seen.map((one) => one[name] ?? 0))]));
}

const total = (statements: Statements): number =>
  Object.values(statements).reduce((sum, count) => sum + count, 0);
