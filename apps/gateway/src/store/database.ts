import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely, type LogEvent, PostgresDialect } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import type { Logger } from 'pino';
import { sessions0001 } from './migrations/0001-sessions.ts';
import { bandwidth0002 } from './migrations/0002-bandwidth.ts';
import { hosts0003 } from './migrations/0003-hosts.ts';
import { idempotency0004 } from './migrations/0004-idempotency.ts';
import { dashboard0005 } from './migrations/0005-dashboard.ts';
import { events0006 } from './migrations/0006-events.ts';
import { waiting0007 } from './migrations/0007-waiting.ts';
import { nodeSqliteDialect } from './sqlite-dialect.ts';
import type { Tables } from './tables.ts';

/** Numbered, applied in order, never edited once released. */
const migrations: Record<string, Migration> = {
  '0001-sessions': sessions0001,
  '0002-bandwidth': bandwidth0002,
  '0003-hosts': hosts0003,
  '0004-idempotency': idempotency0004,
  '0005-dashboard': dashboard0005,
  '0006-events': events0006,
  '0007-waiting': waiting0007,
};

export type Database = Kysely<Tables>;

export type StoreLocation = { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string };

/** Opens the store and brings its tables up to date. */
export async function openDatabase(
  location: StoreLocation,
  logger: Logger,
  /** Told of every statement, and how long it took. */
  log?: (event: LogEvent) => void,
): Promise<Database> {
  const db = new Kysely<Tables>({
    dialect: location.engine === 'sqlite' ? sqlite(location.file) : postgres(location.url, logger),
    ...(log && { log }),
  });
  try {
    await migrate(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return db;
}

function sqlite(file: string) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return nodeSqliteDialect(file);
}

function postgres(url: string, logger: Logger): PostgresDialect {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    // A store that does not answer is a 503 within seconds, not a request that hangs.
    connectionTimeoutMillis: 3000,
    query_timeout: 10000,
    types: { getTypeParser: integersAsNumbers } as pg.CustomTypesConfig,
  });
  // An idle connection that breaks is replaced on the next use; without a listener it would end the process.
  pool.on('error', (error) => logger.warn({ err: error }, 'a connection to PostgreSQL was lost'));
  return new PostgresDialect({ pool });
}

const int8 = 20;

/** Times, counts and seconds stay far below 2^53. */
const integersAsNumbers: typeof pg.types.getTypeParser = (oid, format) =>
  oid === int8 ? (text: string) => Number(text) : pg.types.getTypeParser(oid, format);

async function migrate(db: Database): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  // Two processes may meet on a new SQLite file; the one that comes second finds the work done.
  let { error } = await migrator.migrateToLatest();
  if (error) ({ error } = await migrator.migrateToLatest());
  if (error) throw error;
}
