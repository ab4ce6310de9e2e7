import { readdirSync, readFileSync } from 'node:fs';

/** The processor seconds of each thread of a process so far, by thread id. */
export function threadSeconds(pid: number): Map<string, number> {
  const seconds = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
      seconds.set(thread, Number(nanoseconds) / 1e9);
    } catch {
      // The thread has ended.
    }
  }
  return seconds;
}

/** The processor seconds that the threads of a process spent since an earlier look at them. */
export function secondsSince(pid: number, before: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [thread, seconds] of threadSeconds(pid)) sum += seconds - (before.get(thread) ?? 0);
  return sum;
}
