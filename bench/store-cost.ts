import { unobserved } from '@turnpike/process/observation';
import { sql } from 'kysely';
import { type Postgres, startPostgres } from '../tests/fixtures/database/postgres.ts';
import { type Engine, startTestGateway, type TestGateway } from '../tests/fixtures/gateway/gateway.ts';
import { scratchDirectory } from '../tests/fixtures/process/scratch-directory.ts';
import { median } from './measure.ts';
import { publish } from './table.ts';

const rounds = 15;
const metric = 'turnpike_gateway_store_duration_seconds';

/** Statements by operation, as the gateway's own metrics count them. */
type Statements = Record<string, number>;

export async function publishStoreCosts(postgres: Pick<Postgres, 'createDatabase'>): Promise<void> {
  const costs = await storeCosts(await postgres.createDatabase());
  const left = await footprint(await postgres.createDatabase());
  const bytes = (count: number) => count.toLocaleString('en');
  await publish(
    'store-cost',
    'Statements of each call, including those that begin and end a transaction',
    ['', 'SQLite', 'PostgreSQL', 'transactions that write', 'writes', 'reads'],
    costs,
    `Medians of ${rounds} of each, one after the other; transactions, writes and reads are PostgreSQL's. A session's life, create and close, writes ${bytes(left.walBytes)} bytes of PostgreSQL's log and leaves ${bytes(left.sessionBytes)} bytes of record and ${bytes(left.eventBytes)} of events, indexes included.`,
  );
}

/** Measures what each call costs, on both engines, as rows of a table. */
async function storeCosts(postgresUrl: string): Promise<(string | number)[][]> {
  await using directory = await scratchDirectory('store-cost');
  const sqlite = await costsOn('sqlite', `${directory.path}/store.sqlite`);
  const postgres = await costsOn('postgres', postgresUrl);
  return [...postgres].map(([what, cost]) => {
    const { begin = 0, commit = 0, select = 0, ...writes } = cost;
    const written = total(writes);
    // A statement outside of a transaction is its own transaction. So is the one that admits, which the metrics call other.
    const transactions = begin > 0 ? begin + (writes['other'] ?? 0) : written;
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

interface Footprint {
  /** Bytes that PostgreSQL writes to its log for a session, from create to close. */
  walBytes: number;
  /** Bytes that are kept permanently, including indexes. */
  sessionBytes: number;
  /** Bytes that are kept as long as events are. */
  eventBytes: number;
}

/** Measures what a session, from create to close, leaves in PostgreSQL. */
async function footprint(url: string, sessions = 300): Promise<Footprint> {
  await using gateway = await startTestGateway({ engine: 'postgres', url });
  const account = await gateway.account({ browser_seconds_cap: null, creates_per_minute: 10_000 });
  const { db } = gateway.running.gateway;
  const measure = async () => {
    const { rows } = await sql<Record<keyof Footprint, string>>`
      SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS "walBytes",
        pg_total_relation_size('sessions') AS "sessionBytes",
        pg_total_relation_size('events') AS "eventBytes"`.execute(db);
    const [row] = rows;
    return {
      walBytes: Number(row?.walBytes),
      sessionBytes: Number(row?.sessionBytes),
      eventBytes: Number(row?.eventBytes),
    };
  };
  // Creates the first pages of each table before anything is counted.
  const live = async () =>
    account.close((await account.create({ metadata: { job: 'load' } })).json.browserId);
  for (let i = 0; i < 20; i++) await live();
  const before = await measure();
  for (let i = 0; i < sessions; i++) await live();
  const after = await measure();
  const each = (name: keyof Footprint) => Math.round((after[name] - before[name]) / sessions);
  return { walBytes: each('walBytes'), sessionBytes: each('sessionBytes'), eventBytes: each('eventBytes') };
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
    ['64 reads of limits at once', () => Promise.all(times(64, () => account.get('/user/api/limits')))],
    ['reconnect', () => account.connect({ sessionId: opened[0] ?? '' })],
    ['heartbeat of a host with 15 sessions, idle', () => beat(gateway)],
    [
      'heartbeat of a host with 15 sessions, all with traffic',
      () => {
        for (const browser of gateway.host.list()) browser.bytesDown += 1000;
        return beat(gateway);
      },
    ],
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

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

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

/** Takes the median, because the renewal of leases runs at the same time now and then. */
function medians(seen: readonly Statements[]): Statements {
  const names = new Set(seen.flatMap((one) => Object.keys(one)));
  return Object.fromEntries([...names].map((name) => [name, median(seen.map((one) => one[name] ?? 0))]));
}

const total = (statements: Statements): number =>
  Object.values(statements).reduce((sum, count) => sum + count, 0);

if (import.meta.main) {
  await using postgres = await startPostgres({ durable: true });
  await publishStoreCosts(postgres);
}
