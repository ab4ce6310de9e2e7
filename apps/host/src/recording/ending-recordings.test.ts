import type { AppendResult, RecordingChunk, RecordingSink } from '@turnpike/contract/recording';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { MemorySink } from '../testing/memory-sink.ts';
import { ChunkSender, type SealedChunk } from './chunk-sender.ts';
import { closingChunk } from './closing-chunk.ts';
import { type EndingRecording, EndingRecordings } from './ending-recordings.ts';

const mebibyte = 2 ** 20;

function ending(bytes: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const calls: string[] = [];
  const one: EndingRecording & { unsentBytes: number; calls: string[] } = {
    unsentBytes: bytes,
    calls,
    shrink() {
      calls.push('shrink');
      one.unsentBytes = Math.min(one.unsentBytes, mebibyte);
    },
    giveUp() {
      calls.push('giveUp');
      one.unsentBytes = 0;
      resolve();
    },
    finished: () => promise,
  };
  return one;
}

test('recordings that wait take a bounded part of the memory: the oldest are shrunk, then given up', async () => {
  const endings = new EndingRecordings();
  const all = Array.from({ length: 6 }, () => ending(15 * mebibyte));
  const added = all.map((one) => endings.add(one));
  expect(all.map(({ calls }) => calls.length)).toEqual([1, 1, 0, 0, 0, 0]);
  expect(all.reduce((sum, { unsentBytes }) => sum + unsentBytes, 0)).toBeLessThanOrEqual(64 * mebibyte);
  const many = Array.from({ length: 100 }, () => ending(mebibyte));
  added.push(...many.map((one) => endings.add(one)));
  expect(all[0]?.calls).toContain('giveUp');
  expect(many.at(-1)?.calls).not.toContain('giveUp');
  await endings.drain(1);
  await Promise.all(added);
  expect(many.at(-1)?.calls).toContain('giveUp');
});

/** Takes nothing until it is opened. */
class ClosedSink extends MemorySink implements RecordingSink {
  readonly opened = Promise.withResolvers<void>();

  override async append(chunk: RecordingChunk): Promise<AppendResult> {
    await this.opened.promise;
    return super.append(chunk);
  }
}

test('what is dropped to save memory is told in the last chunk, behind the one that was on its way', async () => {
  const sink = new ClosedSink();
  const sender = new ChunkSender({
    sink,
    sessionId: 's',
    startedAt: 0,
    logger: pino({ level: 'silent' }),
    onStopped: () => {},
    scrub: async (lines) => Buffer.from(`${lines.join('\n')}\n`),
  });
  const chunk = (index: number): SealedChunk => ({
    index,
    bytes: 1000,
    pictures: [Buffer.alloc(10)],
    pictureBytes: 10,
    isLast: index === 3,
    lines: [JSON.stringify({ t: index, kind: 'dialog', type: 'alert', message: `${index}` })],
    summary: { fromMs: index, toMs: index + 1, events: 5, errors: 0, pictureTimes: [index] },
  });
  for (let i = 0; i <= 3; i++) sender.push(chunk(i));
  const waiting = sender.dropWaiting();
  expect(sender.unsentBytes).toBeLessThanOrEqual(1010);
  sender.push(closingChunk(waiting?.index ?? -1, waiting?.dropped ?? [], 'closed'));
  sink.opened.resolve();
  await sender.finished();
  expect(sink.of('s').map(({ index, isLast }) => [index, isLast])).toEqual([
    [0, false],
    [1, true],
  ]);
  expect(sink.events('s').slice(1)).toEqual([
    { t: 1, kind: 'dropped', what: 'events', count: 15 },
    { t: 1, kind: 'dropped', what: 'pictures', count: 3 },
    { t: 4, kind: 'end', reason: 'closed' },
  ]);
});
