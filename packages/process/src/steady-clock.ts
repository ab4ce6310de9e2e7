/**
 * The wall clock at the start of this process, advanced by the machine's monotonic clock. It cannot jump: setting the
 * machine's clock changes nothing here until the next start.
 */
const startedAt = Date.now() - performance.now();

/** Milliseconds since the epoch. */
export const steadyNow = (): number => Math.round(startedAt + performance.now());
