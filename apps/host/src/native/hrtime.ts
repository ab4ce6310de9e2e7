/** Milliseconds by a clock that does not jump and that all threads share; `performance.now()` begins anew in each. */
export function steadyNow(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
