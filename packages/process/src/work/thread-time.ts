import { readFileSync } from 'node:fs';

/** What the kernel says of a thread's time, in milliseconds since it began. */
export interface ThreadTime {
  /** How long it has run on a processor. */
  ranMs: number;
  /** How long it has run or waited for a processor: all the time that it was not asleep. */
  awakeMs: number;
}

/** Reads a thread's time by its id in the kernel; undefined if it is gone, or the kernel does not say. */
export function readThreadTime(kernelThreadId: number): ThreadTime | undefined {
  try {
    const [ran = '', waited = ''] = readFileSync(
      `/proc/self/task/${kernelThreadId}/schedstat`,
      'latin1',
    ).split(' ');
    const ranMs = Number(ran) / 1e6;
    return { ranMs, awakeMs: ranMs + Number(waited) / 1e6 };
  } catch {
    return undefined;
  }
}
