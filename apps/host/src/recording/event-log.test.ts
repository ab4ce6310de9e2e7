import { expect, test } from 'vitest';
import type { SealedChunk } from './chunk-sender.ts';
import { EventLog } from './event-log.ts';

const mebibyte = 2 ** 20;
const dialog = (message: string) => ({ kind: 'dialog', type: 'alert', message }) as const;
const jpeg = (size: number) => ({ jpeg: Buffer.alloc(size), tab: 1, width: 1, height: 1 });

function newLog() {
  const chunks: SealedChunk[] = [];
  const state = { unsentBytes: 0, isMaskSpent: false };
  const log = new EventLog({
    startedAt: 0,
    unsentBytes: () => state.unsentBytes,
    isMaskSpent: () => state.isMaskSpent,
    onSealed: (chunk) => void chunks.push(chunk),
  });
  const events = () => chunks.flatMap(({ lines }) => lines.map((line) => JSON.parse(line)));
  return { log, chunks, state, events };
}

test('while much is unsent pictures are dropped first, then events, and both are counted', () => {
  const { log, state, events } = newLog();
  state.unsentBytes = 12 * mebibyte;
  expect(log.addPicture(jpeg(1000))).toBe(false);
  log.add(dialog('kept'));
  state.unsentBytes = 16 * mebibyte;
  log.add(dialog('dropped'));
  state.unsentBytes = 0;
  log.add(dialog('kept again'));
  log.tick();
  expect(events()).toMatchObject([
    { message: 'kept' },
    { message: 'kept again' },
    { kind: 'dropped', what: 'pictures', count: 1 },
    { kind: 'dropped', what: 'events', count: 1 },
  ]);
});

test('a chunk has eight pictures at most, each named by its chunk and place', () => {
  const { log, chunks, events } = newLog();
  for (let i = 0; i < 10; i++) expect(log.addPicture(jpeg(1000))).toBe(true);
  expect(log.addPicture(jpeg(513 * 1024))).toBe(false);
  log.close('closed');
  expect(chunks.map(({ pictures }) => pictures.length)).toEqual([8, 2]);
  expect(chunks.map(({ summary }) => summary.pictureTimes.length)).toEqual([8, 2]);
  const places = events().flatMap(({ kind, chunk, picture }) =>
    kind === 'picture' ? [[chunk, picture]] : [],
  );
  expect(places).toEqual([...Array.from({ length: 8 }, (_, i) => [0, i]), [1, 0], [1, 1]]);
});

test('a line that is too long is dropped', () => {
  const { log, events } = newLog();
  log.add(dialog('x'.repeat(65 * 1024)));
  log.close('closed');
  expect(events()).toMatchObject([{ kind: 'dropped', what: 'events', count: 1 }, { kind: 'end' }]);
});

test('nothing is made of an event that is dropped', () => {
  const { log, state, events } = newLog();
  state.isMaskSpent = true;
  const unreadable = Object.defineProperty(
    dialog('') as { message: string } & ReturnType<typeof dialog>,
    'message',
    {
      enumerable: true,
      get: () => expect.unreachable('It was read'),
    },
  );
  log.add(unreadable);
  state.isMaskSpent = false;
  log.close('closed');
  expect(events()).toMatchObject([{ kind: 'dropped', what: 'events', count: 1 }, { kind: 'end' }]);
});

test('nothing happens, nothing is sealed; after the end nothing is added', () => {
  const { log, chunks, events } = newLog();
  log.tick();
  expect(chunks).toEqual([]);
  log.close('closed');
  log.add(dialog('late'));
  log.tick();
  expect(chunks).toHaveLength(1);
  expect(events()).toMatchObject([{ kind: 'end', reason: 'closed' }]);
});
