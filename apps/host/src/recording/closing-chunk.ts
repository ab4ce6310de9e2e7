import type { ChunkSummary, RecordedEvent } from '@turnpike/contract/recording';
import type { SealedChunk } from './chunk-sender.ts';

/** A last chunk in place of chunks that could not be stored. It says what they had, and why the session ended. */
export function closingChunk(index: number, dropped: readonly ChunkSummary[], reason: string): SealedChunk {
  const sum = (count: (summary: ChunkSummary) => number) =>
    dropped.reduce((total, summary) => total + count(summary), 0);
  const pictures = sum(({ pictureTimes }) => pictureTimes.length);
  const [first, last] = [dropped[0]?.fromMs ?? 0, dropped.at(-1)?.toMs ?? 0];
  const events: RecordedEvent[] = [
    { t: first, kind: 'dropped', what: 'events', count: sum((summary) => summary.events) },
    ...(pictures > 0 ? [{ t: first, kind: 'dropped', what: 'pictures', count: pictures } as const] : []),
    { t: last, kind: 'end', reason },
  ];
  const lines = events.map((event) => JSON.stringify(event));
  const bytes = lines.reduce((total, line) => total + line.length + 1, 0);
  const summary = { fromMs: first, toMs: last, events: lines.length, errors: 0, pictureTimes: [] };
  return { index, lines, bytes, pictures: [], pictureBytes: 0, summary, isLast: true };
}
