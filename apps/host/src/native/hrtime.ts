/** Milliseconds by `process.hrtime`: it does not jump, and all threads share it; `performance.now()` begins anew in each. */
export function hrtimeMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
