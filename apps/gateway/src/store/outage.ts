/**
 * Whether an error says that the store cannot be asked at all (PostgreSQL stopped, restarting, unreachable),
 * as opposed to a query that is wrong.
 */
export function isStoreOutage(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isStoreOutage);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return connectionErrors.has(code) || sqlStateOutage.test(code) || driverOutage.test(error.message);
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

/** `pg` gives its own connection failures no code. */
const driverOutage =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/;
