/**
 * Tells whether an error means that the store is unavailable (PostgreSQL stopped, restarting or unreachable; a full
 * disk; a lock that another process holds), as opposed to a query that is wrong.
 */
export function isStoreOutage(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isStoreOutage);
  if (!(error instanceof Error)) return false;
  if (error instanceof StoreBusyError || sqliteOutages.has(sqliteCode(error) ?? 0)) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return connectionErrors.has(code) || sqlStateOutage.test(code) || driverOutage.test(error.message);
}

/** Thrown when another process has held SQLite's lock for too long. */
export class StoreBusyError extends Error {
  constructor(cause: unknown) {
    super('Another process holds the lock of the store.', { cause });
    this.name = 'StoreBusyError';
  }
}

/** SQLite's result codes: https://sqlite.org/rescode.html */
const sqlite = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

const sqliteOutages = new Set<number>(Object.values(sqlite));

/**
 * Returns the primary result code, which extended codes have in their low byte. Returns undefined if it is not an error
 * of SQLite.
 */
export function sqliteCode(error: unknown): number | undefined {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode & 0xff : undefined;
}

/** Tells whether another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === sqlite.busy || code === sqlite.locked;
}

/** Explains why a store could not be opened, and what to do; undefined means for some other reason. */
export function openingTrouble(error: unknown): string | undefined {
  switch (sqliteCode(error)) {
    case sqlite.notADatabase:
    case sqlite.corrupt:
      return 'it is damaged, or is not a store. Move it away and restore a backup (docs/backup.md)';
    case sqlite.readOnly:
      return 'it is read-only. Make the file and its directory writable, or set TURNPIKE_DATA_DIR to another directory';
    case sqlite.cannotOpen:
      return 'the file cannot be opened. Check that the user of this process may read and write it and its directory';
    case sqlite.full:
      return 'the disk is full. Free some space, or set TURNPIKE_DATA_DIR to another disk';
    case sqlite.ioError:
      return 'the disk reports an error. Check the disk and the system log';
    case sqlite.busy:
    case sqlite.locked:
      return 'another process holds its lock. Stop that process, or wait for it';
    default:
      return undefined;
  }
}

const connectionErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** SQLSTATE classes 08 (connection), 53 (resources), 57P (operator intervention); 25006 is a read-only standby. */
const sqlStateOutage = /^(08\w{3}|53\w{3}|57P\w{2}|25006)$/;

/** Matches connection failures of `pg`, which have no code. */
const driverOutage =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/;
