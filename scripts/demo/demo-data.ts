import { createLogger } from '@turnpike/process/logger';
import { lockDataDirectory } from '../../apps/cli/src/run/data-directory-lock.ts';
import { dataDirectory, secretKey, storeLocation } from '../../apps/gateway/src/config.ts';
import { Sealer } from '../../apps/gateway/src/secrets/sealer.ts';
import { type Database, openDatabase } from '../../apps/gateway/src/store/database.ts';
import { demoAccounts, demoEmail, fill, isFilled, keepAlive, operatorEmail } from './fill.ts';

/**
 * `npm run demo:data [-- --live]`: fills an empty store with demo data, to look at the dashboard with. With `--live` it
 * goes on until it is stopped: hosts send heartbeats and sessions run, beside a service that is started on the store.
 */

const isLive = process.argv.includes('--live');
const location = storeLocation(process.env);
const name = 'url' in location ? new URL(location.url).host + new URL(location.url).pathname : location.file;

try {
  await run();
} catch (error) {
  console.error(`demo-data: ${(error as Error).message}`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const db = await openDatabase(location, createLogger('warn'));
  await using undo = new AsyncDisposableStack();
  undo.defer(() => db.destroy());
  if (await isFilled(db)) console.log(`demo-data: ${name} has the demo data already`);
  else await fillEmpty(db);
  if (!isLive) return;
  console.log('demo-data: hosts and sessions are live until Ctrl-C');
  await keepAlive(db, await demoAccounts(db), stop.signal);
}

/** Fills the store, which nothing else may use meanwhile. */
async function fillEmpty(db: Database): Promise<void> {
  using _lock = 'file' in location ? lockDataDirectory(dataDirectory(process.env)) : undefined;
  await expectEmpty(db);
  const password = await fill(db, new Sealer(secretKey(process.env)));
  console.log(`demo-data: filled ${name}`);
  console.log(`demo-data: sign in as ${operatorEmail} or ${demoEmail}, password ${password}`);
}

async function expectEmpty(db: Database): Promise<void> {
  for (const table of ['accounts', 'users', 'hosts', 'sessions'] as const) {
    const row = await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirstOrThrow();
    if (Number(row.count) > 0) {
      throw new Error(
        `${name} is not empty: it has rows in ${table}. Name an empty store, for example with TURNPIKE_DATA_DIR=/tmp/demo`,
      );
    }
  }
}
