import type { RecordingChunkSummary } from '@turnpike/contract/recording-answers';

/** Rules about time in a recording: which chunk, which picture, where nothing happens. Times are in milliseconds. */

export type Chunks = readonly RecordingChunkSummary[];

/** Finds the place of the last item whose time is not after `t`; -1: all are after it. The items are in order. */
export function lastNotAfter<T>(items: readonly T[], t: number, timeOf: (item: T) => number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timeOf(items[middle] as T) <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The place in the list of the chunk at a time: the last that had begun, or the first. */
export const chunkAt = (chunks: Chunks, t: number): number =>
  Math.max(
    0,
    lastNotAfter(chunks, t, ({ fromMs }) => fromMs),
  );

export interface PicturePlace {
  chunk: number;
  picture: number;
  t: number;
}

/** The picture that was on the screen at a time; before the first, the first. */
export function pictureAt(chunks: Chunks, t: number): PicturePlace | undefined {
  for (let at = chunkAt(chunks, t); at >= 0; at--) {
    const { index, pictureTimes } = chunks[at] ?? { index: 0, pictureTimes: [] };
    const picture = lastNotAfter(pictureTimes, t, (time) => time);
    if (picture >= 0) return { chunk: index, picture, t: pictureTimes[picture] as number };
  }
  return pictureAfter(chunks, t);
}

/** The next picture after a time. */
export function pictureAfter(chunks: Chunks, t: number): PicturePlace | undefined {
  for (let at = chunkAt(chunks, t); at < chunks.length; at++) {
    const { index, pictureTimes } = chunks[at] ?? { index: 0, pictureTimes: [] };
    const picture = pictureTimes.findIndex((time) => time > t);
    if (picture >= 0) return { chunk: index, picture, t: pictureTimes[picture] as number };
  }
  return undefined;
}

/** Chunks that are asked for at once: half a minute around the moment, and two minutes behind it. */
const [nearChunks, batchChunks] = [15, 60];

export interface ChunkRange {
  from: number;
  to: number;
  /** Whether it is what is looked at now. */
  isNear: boolean;
}

/**
 * What to load next: first the chunks around the moment, then all others, later ones first, so that what is played is
 * there and all of it can be searched. Ranges are of chunk numbers. Returns undefined if everything is there.
 */
export function nextRange(
  chunks: Chunks,
  t: number,
  isLoaded: (chunk: number) => boolean,
): ChunkRange | undefined {
  const at = chunkAt(chunks, t);
  const near = Math.max(0, at - Math.floor(nearChunks / 3));
  const isMissing = (place: number) => {
    const chunk = chunks[place];
    return chunk !== undefined && !isLoaded(chunk.index);
  };
  const forward = (from: number, to: number, most: number): Omit<ChunkRange, 'isNear'> | undefined => {
    let begin = from;
    while (begin < to && !isMissing(begin)) begin++;
    if (begin >= to) return undefined;
    let end = begin;
    while (end + 1 < to && end + 1 - begin < most && isMissing(end + 1)) end++;
    return rangeOf(chunks, begin, end);
  };
  const backward = (): Omit<ChunkRange, 'isNear'> | undefined => {
    let end = near - 1;
    while (end >= 0 && !isMissing(end)) end--;
    if (end < 0) return undefined;
    let begin = end;
    while (begin > 0 && end - begin + 1 < batchChunks && isMissing(begin - 1)) begin--;
    return rangeOf(chunks, begin, end);
  };
  const around = forward(near, Math.min(near + nearChunks, chunks.length), nearChunks);
  if (around) return { ...around, isNear: true };
  const other = forward(near, chunks.length, batchChunks) ?? backward();
  return other && { ...other, isNear: false };
}

const rangeOf = (chunks: Chunks, begin: number, end: number): Omit<ChunkRange, 'isNear'> => ({
  from: chunks[begin]?.index ?? 0,
  to: chunks[end]?.index ?? 0,
});

/** Shorter pauses are played: something may be going on. */
const minIdleMs = 3000;
/** How much of an idle stretch is played, at its start and at its end. */
const idleMarginMs = 500;

/** Where to go on if nothing happens at this time for a while; undefined if something does. */
export function idleUntil(chunks: Chunks, t: number): number | undefined {
  const at = chunkAt(chunks, t);
  const end = chunks[at]?.toMs ?? 0;
  const next = chunks[at + 1]?.fromMs;
  if (next === undefined || next - end < minIdleMs) return undefined;
  return t >= end + idleMarginMs && t < next - idleMarginMs ? next - idleMarginMs : undefined;
}

export interface Span {
  from: number;
  to: number;
}

/** Stretches in which nothing happens, for the scrubber. */
export function idleStretches(chunks: Chunks): Span[] {
  return chunks.flatMap(({ toMs }, at) => {
    const next = chunks[at + 1]?.fromMs ?? toMs;
    return next - toMs >= minIdleMs ? [{ from: toMs, to: next }] : [];
  });
}

/** Times of errors: exact where the events are loaded, and otherwise the beginning of their chunk. */
export function errorTimes(
  chunks: Chunks,
  exact: readonly number[],
  isLoaded: (chunk: number) => boolean,
): number[] {
  const others = chunks.filter(({ index, errors }) => errors > 0 && !isLoaded(index));
  return [...exact, ...others.map(({ fromMs }) => fromMs)].sort((a, b) => a - b);
}

/** The error after or before a moment. A moment on an error is not its own next one. */
export function nextError(times: readonly number[], t: number, direction: 1 | -1): number | undefined {
  return direction === 1 ? times.find((time) => time > t + 50) : times.findLast((time) => time < t - 50);
}

/** `1:02:03.4`, `2:03.4`. */
export function clock(ms: number, digits: 0 | 1 = 1): string {
  const tenths = Math.floor(Math.max(0, ms) / 100);
  const seconds = Math.floor(tenths / 10);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = String(seconds % 60).padStart(2, '0');
  const shown = hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
  return digits === 0 ? shown : `${shown}.${tenths % 10}`;
}

/** `1 minute 5 seconds`, for screen readers. */
export function spokenTime(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const parts: readonly [number, string][] = [
    [Math.floor(seconds / 3600), 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [seconds % 60, 'second'],
  ];
  const said = parts
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}${value === 1 ? '' : 's'}`);
  return said.length === 0 ? '0 seconds' : said.join(' ');
}

/** The moment that an address names: `#t=83.2`, in seconds. */
export function momentOf(hash: string): number | undefined {
  const seconds = Number(new URLSearchParams(hash.replace(/^#/, '')).get('t') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

/** The same fragment, with this moment in it. */
export function withMoment(hash: string, t: number): string {
  const rest = hash
    .replace(/^#/, '')
    .split('&')
    .filter((part) => part !== '' && !part.startsWith('t='));
  return `#${[...rest, `t=${(t / 1000).toFixed(1)}`].join('&')}`;
}
