/**
 * The wall clock as it stood when this process started, carried on by the machine's monotonic clock. It cannot jump:
 * whoever sets the machine's clock changes nothing here until the next start.
 */
const startedAt = Date.now() - performance.now();

/** Milliseconds since the epoch. */
export const steadyNow = (): number => Math.round(startedAt + performance.now());
