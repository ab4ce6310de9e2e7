import type { NetworkRow } from './rows.ts';

/** The bars of requests beside each other, as shares of the time that the rows in sight cover. */

export interface TimeRange {
  from: number;
  to: number;
}

const minRangeMs = 200;

/** The time from the first request in sight to the end of the last. What has not ended lasts until now. */
export function waterfallRange(rows: readonly NetworkRow[], now: number): TimeRange {
  const from = Math.min(...rows.map(({ t }) => t));
  const to = Math.max(...rows.map(({ t, endMs }) => endMs ?? Math.max(t, now)));
  if (!Number.isFinite(from)) return { from: 0, to: minRangeMs };
  return { from, to: Math.max(to, from + minRangeMs) };
}

export interface Bar {
  /** From 0 to 1. */
  start: number;
  waiting: number;
  receiving: number;
}

/** Where a request's bar begins, and how much of the range it waited and received. */
export function barOf({ t, response, endMs }: NetworkRow, { from, to }: TimeRange, now: number): Bar {
  const share = (ms: number) => Math.min(1, Math.max(0, (ms - from) / (to - from)));
  const end = share(endMs ?? Math.max(t, now));
  const answered = response ? Math.min(share(response.t), end) : end;
  const start = share(t);
  return { start, waiting: answered - start, receiving: end - answered };
}
