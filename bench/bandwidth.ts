import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@turnpike/process/logger';
import { sql } from 'kysely';
import { createAccount } from '../apps/gateway/src/accounts/manage-account.ts';
import { bytesByDay, claimRecordIds } from '../apps/gateway/src/bandwidth/bandwidth-store.ts';
import { ingestUsage } from '../apps/gateway/src/bandwidth/ingest-usage.ts';
import { type Database, openDatabase, type StoreLocation } from '../apps/gateway/src/store/database.ts';
import { startPostgres } from '../tests/fixtures/database/postgres.ts';
import { testSealer } from '../tests/fixtures/gateway/gateway.ts';
import { inTurns, median, percentile95 } from './measure.ts';
import { publish } from './table.ts';

/** Measures reads of a 366-day series by the store's size, and compares ingestion with a bare bulk insert. */

const sizes = [10_000, Number(process.argv[2] ?? 10_000_000)];
const directory = await mkdtemp(join(tmpdir(), 'bench-'));
await using postgres = await startPostgres({ durable: true });
const engines: Record<string, () => Promise<StoreLocation>> = {
  SQLite: async () => ({ engine: 'sqlite', file: join(directory, `${Math.random()}.sqlite`) }),
  PostgreSQL: async () => ({ engine: 'postgres', url: await postgres.createDatabase() }),
};
const reads: (string | number)[][] = [];
const writes: (string | number)[][] = [];
for (const [name, location] of Object.entries(engines)) {
  for (const size of sizes) {
    const db = await openDatabase(await location(), createLogger('silent'));
    const accountId = await fill(db, size);
    const query = { accountId, product: 'residential', from: '2024-01-01', to: '2024-12-31' } as const;
    const times: number[] = [];
    for (let i = 0; i < 220; i++) {
      const started = performance.now();
      const days = await bytesByDay(db, query);
      if (days.size !== 366) throw new Error(`${days.size} days`);
      if (i >= 20) times.push(performance.now() - started);
    }
    reads.push([name, size.toLocaleString('en'), median(times).toFixed(2), percentile95(times).toFixed(2)]);
    if (size === sizes[0]) writes.push([name, ...(await ingestion(db, accountId))]);
    await db.destroy();
  }
}
await rm(directory, { recursive: true });
await publish(
  'bandwidth-reads',
  'Reading a 366-day series of one account, four countries a day',
  ['store', 'rollup rows', 'median ms', '95% ms'],
  reads,
);
await publish(
  'ingestion',
  'Ingestion, in batches of 5,000 records',
  ['store', 'bare bulk insert of ids, rows/s', 'ingestion, records/s', 'ratio'],
  writes,
  'The bare insert writes the ids of the same batches and nothing else. Medians of 15 batches each, interleaved, durable commits.',
);

/** Writes one account with a full year, and other accounts up to the number of rows. */
async function fill(db: Database, rows: number): Promise<string> {
  const { account } = await createAccount(db, testSealer, { email: 'a@example.com', name: '' });
  const others: string[] = [];
  for (let i = 0; i < 100; i++) {
    others.push((await createAccount(db, testSealer, { email: `o${i}@example.com`, name: '' })).account.id);
  }
  const day = (n: number) => new Date(Date.UTC(2024, 0, 1 + n)).toISOString().slice(0, 10);
  const insert = async (
    values: { account_id: string; product: 'residential'; day: string; country: string; bytes: bigint }[],
  ) => {
    const json = JSON.stringify(values.map((v) => [v.account_id, v.day, v.country, String(v.bytes)]));
    const source = isPostgres(db)
      ? sql`select r ->> 0 as a, r ->> 1 as d, r ->> 2 as c, (r ->> 3)::bigint as b from json_array_elements(${json}::json) as r`
      : sql`select json_extract(value,'$[0]') as a, json_extract(value,'$[1]') as d, json_extract(value,'$[2]') as c, cast(json_extract(value,'$[3]') as integer) as b from json_each(${json})`;
    await sql`insert into bandwidth_days (account_id, product, day, country, bytes) select a, 'residential', d, c, b from (${source}) as x`.execute(
      db,
    );
  };
  const own = Array.from({ length: 366 }, (_, n) =>
    ['US', 'DE', 'BR', 'JP'].map((country) => ({
      account_id: account.id,
      product: 'residential' as const,
      day: day(n),
      country,
      bytes: 123456789n,
    })),
  );
  await insert(own.flat());
  let made = own.length * 4;
  for (let n = 0; made < rows; n++) {
    const count = Math.min(50_000, rows - made);
    const base = n * 50_000;
    await insert(
      Array.from({ length: count }, (_, i) => {
        const k = base + i;
        return {
          account_id: others[k % 100] ?? '',
          product: 'residential' as const,
          day: day(Math.floor(k / 100) % 3660),
          country: `${Math.floor(k / 366_000)}`,
          bytes: 1n,
        };
      }),
    );
    made += count;
  }
  if (isPostgres(db)) await sql`analyze bandwidth_days`.execute(db);
  return account.id;
}

async function ingestion(db: Database, accountId: string): Promise<string[]> {
  let next = 0;
  const size = 5000;
  const timed = async (work: () => Promise<unknown>) => {
    const started = performance.now();
    await work();
    return (size * 1000) / (performance.now() - started);
  };
  const results = await inTurns(15, {
    bare: () =>
      timed(() =>
        db.transaction().execute((trx) =>
          claimRecordIds(
            trx,
            Array.from({ length: size }, () => `bare-${next++}`),
          ),
        ),
      ),
    ingestion: () => {
      const lines = Array.from({ length: size }, () =>
        JSON.stringify({
          id: `record-${next++}`,
          account: accountId,
          product: 'rotating-dc',
          country: 'US',
          bytes: next,
          at: Date.UTC(2024, 5, 1 + (next % 30)),
        }),
      );
      return timed(() =>
        ingestUsage(
          { db, now: Date.now },
          lines.map((line) => () => JSON.parse(line)),
          'bench',
        ),
      );
    },
  });
  const [bare, ours] = [median(results.bare), median(results.ingestion)];
  return [
    Math.round(bare).toLocaleString('en'),
    Math.round(ours).toLocaleString('en'),
    `${Math.round((ours / bare) * 100)}%`,
  ];
}

function isPostgres(db: Database): boolean {
  return db.getExecutor().adapter.constructor.name === 'PostgresAdapter';
}
