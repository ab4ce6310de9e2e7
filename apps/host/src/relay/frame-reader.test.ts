import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as ws from 'ws';
import { FrameReader } from './frame-reader.ts';
import { unmask } from './unmask.ts';

// Not in the types of `ws`.
const { Sender, Receiver } = ws as unknown as {
  Sender: { frame(data: Buffer, options: object): Buffer[] };
  Receiver: new (
    options: object,
  ) => NodeJS.WritableStream & { on(event: string, listener: (...args: any[]) => void): void };
};

const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

function frame(kind: keyof typeof opcodes, payload: Buffer, fin = true): Buffer {
  const options = { fin, opcode: opcodes[kind], mask: true, readOnly: true, rsv1: false };
  return Buffer.concat(Sender.frame(payload, options));
}

/** What a client may send between two messages' first and last frames, and what is heard of it. */
interface Sent {
  bytes: Buffer;
  heard: string[];
}

/** Lengths around each of the three ways to write one. */
const payload = fc
  .tuple(fc.oneof(fc.nat(140), fc.constantFrom(0, 125, 126, 127, 65_535, 65_536, 70_000)), fc.nat(255))
  .map(([length, first]) => Buffer.from(Array.from({ length }, (_, i) => (first + i * 7) & 0xff)));
const heard = (kind: string, bytes: Buffer) => `${kind} ${bytes.length} ${bytes.toString('latin1', 0, 40)}`;

const control = fc.tuple(fc.constantFrom('ping', 'pong'), payload).map(([kind, whole]): Sent => {
  const bytes = whole.subarray(0, 125);
  return { bytes: frame(kind as 'ping', bytes), heard: [heard(kind, bytes)] };
});
const message = fc
  .tuple(fc.constantFrom('text', 'binary'), payload)
  .map(([kind, bytes]): Sent => ({ bytes: frame(kind as 'text', bytes), heard: [heard(kind, bytes)] }));
const fragmented = fc.tuple(payload, fc.option(control), payload).map(([a, between, b]): Sent => {
  const parts = [frame('text', a, false), between?.bytes ?? Buffer.alloc(0), frame('continuation', b)];
  return {
    bytes: Buffer.concat(parts),
    heard: [...(between?.heard ?? []), heard('text', Buffer.concat([a, b]))],
  };
});

/** Reads bytes in pieces, with what `ws` itself makes of all that is not ours. */
function read(pieces: Buffer[]): { told: string[]; byUs: number; closed: boolean; errors: string[] } {
  const told: string[] = [];
  const errors: string[] = [];
  let byUs = 0;
  let closed = false;
  const receiver = new Receiver({ isServer: true, skipUTF8Validation: true, allowSynchronousEvents: true });
  receiver.on('message', (data, isBinary) => told.push(heard(isBinary ? 'binary' : 'text', data)));
  receiver.on('ping', (data) => told.push(heard('ping', data)));
  receiver.on('pong', (data) => told.push(heard('pong', data)));
  receiver.on('error', (error) => errors.push(error.message));
  receiver.on('conclude', () => {
    closed = true;
  });
  const reader = new FrameReader({
    text(bytes, start, end) {
      byUs += 1;
      told.push(heard('text', bytes.subarray(start, end)));
    },
    other: (bytes) => void receiver.write(Buffer.from(bytes)),
  });
  for (const piece of pieces) {
    const chunk = Buffer.concat([piece, Buffer.from('more than was read')]);
    reader.read(chunk, piece.length);
  }
  return { told, byUs, closed, errors };
}

function cut(bytes: Buffer, lengths: number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const end = i < lengths.length ? at + (lengths[i] as number) : bytes.length;
    pieces.push(Buffer.from(bytes.subarray(at, end)));
    at = end;
  }
  return pieces;
}

const lengths = fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 70_000 })));

test('every message is heard once, whole and in order, whatever is between them and however they are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(message, fragmented, control), { maxLength: 8 }),
      lengths,
      (sent, pieces) => {
        const { told } = read(cut(Buffer.concat(sent.map(({ bytes }) => bytes)), pieces));
        expect(told).toEqual(sent.flatMap((one) => one.heard));
      },
    ),
  );
});

test('whole messages of text do not pass through ws', () => {
  const { told, byUs } = read([
    Buffer.concat([frame('text', Buffer.from('a')), frame('text', Buffer.from('b'))]),
  ]);
  expect(told).toEqual(['text 1 a', 'text 1 b']);
  expect(byUs).toBe(2);
});

test('nothing counts that comes after a close frame', () => {
  const after = [frame('close', Buffer.from([0x03, 0xe8])), frame('text', Buffer.from('late'))];
  expect(read([Buffer.concat(after)])).toEqual({ told: [], byUs: 0, closed: true, errors: [] });
});

test.each([
  ['without a mask', Buffer.from([0x81, 0x01, 0x61])],
  ['with a reserved bit', Buffer.from([0xc1, 0x81, 0, 0, 0, 0, 0x61])],
  ['of an impossible length', Buffer.from([0x81, 0xff, ...Array(8).fill(0xff), 0, 0, 0, 0])],
])('a frame %s is left to ws to refuse', async (_name, bytes) => {
  const { told, errors } = read([bytes, frame('text', Buffer.from('late'))]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toEqual([]);
  expect(errors).toHaveLength(1);
});

test('a mask is taken off wherever the bytes lie in memory', () => {
  const bytes = fc.uint8Array({ maxLength: 700 });
  const key = fc.uint8Array({ minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(bytes, key, fc.nat(8), fc.nat(8), (plain, mask, offset, start) => {
      const end = start + plain.length;
      const memory = Buffer.from(new ArrayBuffer(offset + end + 8), offset);
      plain.forEach((byte, i) => {
        memory[start + i] = byte ^ (mask[i & 3] as number);
      });
      unmask(memory, start, end, Buffer.from(mask).readInt32LE());
      expect(memory.equals(Buffer.concat([Buffer.alloc(start), plain, Buffer.alloc(8)]))).toBe(true);
    }),
  );
});
