import { dirname } from 'node:path';
import { makeDirectory } from '@turnpike/process/make-directory';
import { Kysely, type LogEvent, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import { MigratingPostgresDialect, migratePostgres, migrateSqlite } from './migrate.ts';
import { NamedStatementClient } from './named-statements.ts';
import { openingTrouble } from './outage.ts';
import { NodeSqliteDialect } from './sqlite-dialect.ts';
import { watchWrites } from './store-health.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;

export type StoreLocation = { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string };

/** Opens the store and brings its tables up to date. */
export async function openDatabase(
  location: StoreLocation,
  logger: Logger,
  /** Called for every statement, with its duration. */
  log?: (event: LogEvent) => void,
): Promise<Database> {
  if (location.engine === 'postgres') {
    const db = watchWrites(postgres(location.url, logger), log);
    try {
      await bringUpToDate(location.url, logger);
      return db;
    } catch (error) {
      await db.destroy();
      throw error;
    }
  }
  try {
    return await openSqlite(location.file, logger, log);
  } catch (error) {
    throw explained(location.file, error);
  }
}

async function openSqlite(
  file: string,
  logger: Logger,
  log: ((event: LogEvent) => void) | undefined,
): Promise<Database> {
  makeDirectory(dirname(file));
  const db = watchWrites(new NodeSqliteDialect(file), log);
  try {
    await migrateSqlite(db, logger);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** Says why the store cannot be opened, and what to do. */
export class StoreOpenError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'StoreOpenError';
  }
}

function explained(file: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  const trouble =
    openingTrouble(error) ??
    (code !== undefined && directoryTrouble.has(code)
      ? `${message}. Check the directory, or set TURNPIKE_DATA_DIR to another one`
      : undefined);
  return trouble === undefined
    ? error
    : new StoreOpenError(`The store ${file} cannot be opened: ${trouble}.`, error);
}

const directoryTrouble = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOSPC',
  'ENOTDIR',
  'ENOENT',
  'EISDIR',
  'EEXIST',
]);

/** Migrates on a connection of its own without a time limit, for a migration may take longer than a request. */
async function bringUpToDate(url: string, logger: Logger): Promise<void> {
  const pool = createPool(logger, { connectionString: url, max: 1, connectionTimeoutMillis });
  const db = new Kysely<Tables>({ dialect: new MigratingPostgresDialect({ pool }) });
  try {
    await migratePostgres(db, logger);
  } finally {
    await db.destroy();
  }
}

/** Makes a store that does not answer a 503 within seconds, instead of a request that hangs. */
const connectionTimeoutMillis = 3000;

/**
 * Works through a pooler in transaction mode too: no statement is prepared by name there, nothing is set on a
 * connection, and several statements that belong together are a transaction.
 */
function postgres(url: string, logger: Logger): PostgresDialect {
  const pool = createPool(logger, {
    connectionString: url,
    max: 10,
    connectionTimeoutMillis,
    query_timeout: 10000,
    types: { getTypeParser: integersAsNumbers } as pg.CustomTypesConfig,
    Client: NamedStatementClient,
    onConnect: (client) => (client as unknown as NamedStatementClient).detectPooler(),
  });
  return new PostgresDialect({ pool });
}

/**
 * Replaces a broken connection on the next use. Without these listeners an error would end the process: the pool's is
 * for idle connections, the connection's own for one that breaks between two statements of a transaction.
 */
function createPool(logger: Logger, config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  // Only the message: the driver attaches the whole connection to the error.
  pool.on('error', ({ message }) => logger.warn({ reason: message }, 'a connection to PostgreSQL was lost'));
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

const int8 = 20;

/** Parses integers as numbers: times, counts and seconds stay far below 2^53. */
const integersAsNumbers: typeof pg.types.getTypeParser = (oid, format) =>
  oid === int8 ? (text: string) => Number(text) : pg.types.getTypeParser(oid, format);
