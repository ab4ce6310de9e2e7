import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as ws from 'ws';
import { ByteBudget, newHeldBytes } from '../../memory/byte-budget.ts';
import { maxMessageBytes, type Refusal } from '../refusals.ts';
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
const message = payload.map(
  (bytes): Sent => ({ bytes: frame('text', bytes), heard: [heard('text', bytes)] }),
);
const fragmented = fc.tuple(payload, fc.option(control), payload).map(([a, between, b]): Sent => {
  const parts = [frame('text', a, false), between?.bytes ?? Buffer.alloc(0), frame('continuation', b)];
  return {
    bytes: Buffer.concat(parts),
    heard: [...(between?.heard ?? []), heard('text', Buffer.concat([a, b]))],
  };
});

interface Reading {
  told: string[];
  refused: Refusal[];
  closed: boolean;
  errors: string[];
  heldBytes: number;
  mostHeldBytes: number;
}

interface ReadOptions {
  limitBytes?: number;
  /** After each message, until it is told to go on: after each piece. */
  pauses?: boolean;
}

/** Reads bytes in pieces, with what `ws` itself makes of control frames. */
function read(pieces: Iterable<Buffer>, { limitBytes = 2 ** 28, pauses = false }: ReadOptions = {}): Reading {
  const reading: Reading = {
    told: [],
    refused: [],
    closed: false,
    errors: [],
    heldBytes: 0,
    mostHeldBytes: 0,
  };
  const { told, refused, errors } = reading;
  const receiver = new Receiver({ isServer: true, skipUTF8Validation: true, allowSynchronousEvents: true });
  receiver.on('message', () => errors.push('a message for ws'));
  receiver.on('ping', (data) => told.push(heard('ping', data)));
  receiver.on('pong', (data) => told.push(heard('pong', data)));
  receiver.on('error', (error) => errors.push(error.message));
  receiver.on('conclude', () => {
    reading.closed = true;
  });
  const budget = new ByteBudget(limitBytes, newHeldBytes(), 'switchboard');
  const sink = {
    text(bytes: Buffer, start: number, end: number) {
      told.push(heard('text', bytes.subarray(start, end)));
      if (pauses) reader.stop();
    },
    control: (bytes: Buffer) => void receiver.write(Buffer.from(bytes)),
    refuse: (refusal: Refusal) => void refused.push(refusal),
  };
  const reader = new FrameReader(sink, budget.share());
  for (const piece of pieces) {
    const chunk = Buffer.concat([piece, Buffer.from('more than was read')]);
    reader.read(chunk, piece.length);
    reading.mostHeldBytes = Math.max(reading.mostHeldBytes, budget.heldBytes);
    for (let before = -1; pauses && before < told.length; ) {
      before = told.length;
      reader.goOn();
    }
  }
  reading.heldBytes = budget.heldBytes;
  return reading;
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

test.each([
  ['', false],
  [', by one who takes them one at a time', true],
])('every message is heard once, whole and in order, however they are cut%s', (_how, pauses) => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(message, fragmented, control), { maxLength: 8 }),
      lengths,
      (sent, pieces) => {
        const bytes = Buffer.concat(sent.map((one) => one.bytes));
        const { told, errors, heldBytes } = read(cut(bytes, pieces), { pauses });
        expect(told).toEqual(sent.flatMap((one) => one.heard));
        expect({ errors, heldBytes }).toEqual({ errors: [], heldBytes: 0 });
      },
    ),
  );
});

test('many small messages for one who takes them one at a time are not copied for each', () => {
  const small = frame('text', Buffer.from('{}'));
  const count = 100_000;
  const started = performance.now();
  const { told } = read([Buffer.concat(Array.from({ length: count }, () => small))], { pauses: true });
  expect(told).toHaveLength(count);
  // Copied for each it would be 40 GB.
  expect(performance.now() - started).toBeLessThan(10_000);
});

test('nothing counts that comes after a close frame', () => {
  const after = [frame('close', Buffer.from([0x03, 0xe8])), frame('text', Buffer.from('late'))];
  expect(read([Buffer.concat(after)])).toMatchObject({ told: [], closed: true, errors: [] });
});

test.each([
  ['without a mask', Buffer.from([0x81, 0x01, 0x61]), 1002],
  ['with a reserved bit', Buffer.from([0xc1, 0x81, 0, 0, 0, 0, 0x61]), 1002],
  ['of an unknown kind', Buffer.from([0x83, 0x80, 0, 0, 0, 0]), 1002],
  ['that goes on with nothing', frame('continuation', Buffer.from('a')), 1002],
  ['of control that is too long', Buffer.from([0x89, 0xfe, 0x01, 0x00, 0, 0, 0, 0]), 1002],
  ['of control in parts', frame('ping', Buffer.from('a'), false), 1002],
  [
    'that begins a message inside of another',
    Buffer.concat(Array(2).fill(frame('text', Buffer.from('a'), false))),
    1002,
  ],
  ['of bytes', frame('binary', Buffer.from('a')), 1003],
  ['of an impossible length', Buffer.from([0x81, 0xff, ...Array(8).fill(0xff), 0, 0, 0, 0]), 1009],
])('a frame %s is refused, and nothing counts after it', (_name, bytes, code) => {
  const { told, refused, heldBytes } = read([bytes, frame('text', Buffer.from('late'))]);
  expect([told, refused.map((refusal) => refusal.code), heldBytes]).toEqual([[], [code], 0]);
});

/** The head of a frame that announces so many bytes; masked with zeros. */
function head(first: number, length: number): Buffer {
  const bytes = Buffer.alloc(14);
  bytes[0] = first;
  bytes[1] = 0x80 | 127;
  bytes.writeBigUInt64BE(BigInt(length), 2);
  return bytes;
}

test('a message that Chromium would not take is refused by its head, and a close after it is heard', () => {
  const rest = Buffer.alloc(1000, 'x');
  const after = [frame('ping', Buffer.from('there?')), frame('close', Buffer.from([0x03, 0xf1]))];
  const sent = [
    head(0x81, maxMessageBytes + 1),
    ...Array(Math.ceil((maxMessageBytes + 1) / 1000)).fill(rest),
  ];
  sent[sent.length - 1] = Buffer.alloc((maxMessageBytes + 1) % 1000, 'x');
  const { refused, mostHeldBytes, told, closed } = read([...sent, ...after]);
  expect(refused).toEqual([{ code: 1009, reason: expect.stringContaining('100 MiB') }]);
  expect([told, closed, mostHeldBytes]).toEqual([['ping 6 there?'], true, 0]);
});

test('a message in many parts is counted as it grows', () => {
  const megabyte = frame('continuation', Buffer.alloc(2 ** 20, 'x'), false);
  function* parts() {
    yield frame('text', Buffer.from('{'), false);
    for (let i = 0; i < 200; i++) yield megabyte;
  }
  const { refused, heldBytes, mostHeldBytes } = read(parts());
  expect(refused).toEqual([{ code: 1009, reason: expect.stringContaining('100 MiB') }]);
  expect(heldBytes).toBe(0);
  expect(mostHeldBytes).toBeLessThan(110 * 2 ** 20);
});

test('what is only announced takes no memory', () => {
  const { heldBytes, refused } = read([head(0x81, maxMessageBytes), Buffer.from('{')]);
  expect(refused).toEqual([]);
  expect(heldBytes).toBeLessThan(10_000);
});

test('a message that the session has no room for is refused by its head', () => {
  const { heldBytes, refused } = read([head(0x81, 2 ** 21), Buffer.alloc(1000)], { limitBytes: 2 ** 20 });
  expect(refused).toEqual([{ code: 1009, reason: expect.stringContaining('buffers are full') }]);
  expect(heldBytes).toBe(0);
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
