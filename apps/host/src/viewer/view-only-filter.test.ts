import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RfbError, ViewOnlyFilter } from './view-only-filter.ts';

const greeting = Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.of(1), Buffer.of(1)]);

interface Sent {
  bytes: Buffer;
  passes: boolean;
}

const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array) => Buffer.from(array));
const fixed = (type: number, rest: number, passes: boolean): fc.Arbitrary<Sent> =>
  bytes(rest).map((body) => ({ bytes: Buffer.concat([Buffer.of(type), body]), passes }));

const setEncodings = fc.nat(40).chain((count) =>
  bytes(4 * count).map((list) => ({
    bytes: Buffer.concat([Buffer.of(2, 0, count >> 8, count & 255), list]),
    passes: true,
  })),
);
const clientCutText = fc.tuple(fc.nat(300), fc.boolean()).chain(([length, extended]) =>
  bytes(length).map((text) => {
    const header = Buffer.from([6, 0, 0, 0, 0, 0, 0, 0]);
    header.writeInt32BE(extended ? -length : length, 4);
    return { bytes: Buffer.concat([header, text]), passes: false };
  }),
);
const fence = fc.nat(64).chain((length) =>
  fc.tuple(bytes(7), bytes(length)).map(([start, payload]) => ({
    bytes: Buffer.concat([Buffer.of(248), start, Buffer.of(length), payload]),
    passes: true,
  })),
);
const setDesktopSize = fc.nat(5).chain((screens) =>
  bytes(16 * screens).map((list) => ({
    bytes: Buffer.concat([Buffer.of(251, 0, 4, 0, 3, 0, screens, 0), list]),
    passes: false,
  })),
);
const extendedKey = bytes(10).map((body) => ({
  bytes: Buffer.concat([Buffer.of(255, 0), body]),
  passes: false,
}));

const messages = fc.array(
  fc.oneof(
    fixed(0, 19, true), // SetPixelFormat
    setEncodings,
    fixed(3, 9, true), // FramebufferUpdateRequest
    fixed(4, 7, false), // KeyEvent
    fixed(5, 5, false), // PointerEvent
    clientCutText,
    fixed(150, 9, true), // EnableContinuousUpdates
    fence,
    fixed(250, 3, false), // xvp
    setDesktopSize,
    extendedKey,
  ),
  { maxLength: 20 },
);

/** Whatever the cuts, all in order. */
function chunksOf(whole: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((start, index) => whole.subarray(start, places[index] ?? whole.length));
}

function passAll(chunks: readonly Buffer[]): Buffer {
  const filter = new ViewOnlyFilter();
  return Buffer.concat(chunks.map((chunk) => filter.pass(chunk)));
}

test('what watches passes, what acts does not, however it is cut up', () => {
  fc.assert(
    fc.property(messages, fc.array(fc.nat(), { maxLength: 60 }), (sent, cuts) => {
      const whole = Buffer.concat([greeting, ...sent.map((message) => message.bytes)]);
      const expected = [greeting, ...sent.filter(({ passes }) => passes).map((message) => message.bytes)];
      expect(passAll(chunksOf(whole, cuts))).toEqual(Buffer.concat(expected));
    }),
    { numRuns: 300 },
  );
});

test('byte by byte is as good as at once', () => {
  fc.assert(
    fc.property(messages, (sent) => {
      const whole = Buffer.concat([greeting, ...sent.map((message) => message.bytes)]);
      const singles = Array.from(whole, (byte) => Buffer.of(byte));
      expect(passAll(singles)).toEqual(passAll([whole]));
    }),
    { numRuns: 50 },
  );
});

/** Reads as a display does: the types of the messages in a stream that a filter let through. */
function typesIn(stream: Buffer): number[] {
  const types: number[] = [];
  for (let at = greeting.length; at < stream.length; ) {
    const type = stream.readUInt8(at);
    types.push(type);
    const left = stream.length - at;
    if (type === 0) at += 20;
    else if (type === 2) at += left < 4 ? left : 4 + 4 * stream.readUInt16BE(at + 2);
    else if (type === 3 || type === 150) at += 10;
    else if (type === 248) at += left < 9 ? left : 9 + stream.readUInt8(at + 8);
    else at = stream.length;
  }
  return types;
}

test('from any bytes at all a display reads only what watches', () => {
  const junk = fc.oneof(
    bytes(40),
    fc.uint8Array({ maxLength: 400 }).map((array) => Buffer.from(array)),
  );
  fc.assert(
    fc.property(messages, junk, fc.array(fc.nat(), { maxLength: 10 }), (sent, rest, cuts) => {
      const whole = Buffer.concat([greeting, ...sent.map((message) => message.bytes), rest]);
      const filter = new ViewOnlyFilter();
      const kept: Buffer[] = [];
      try {
        for (const chunk of chunksOf(whole, cuts)) kept.push(filter.pass(chunk));
      } catch (error) {
        expect(error).toBeInstanceOf(RfbError);
      }
      const types = typesIn(Buffer.concat(kept));
      expect(types.filter((type) => ![0, 2, 3, 150, 248].includes(type))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['an old version', Buffer.from('RFB 003.003\n')],
  ['another protocol', Buffer.from('GET / HTTP/1')],
  ['a security type that is not on offer', Buffer.concat([greeting.subarray(0, 12), Buffer.of(2)])],
  ['a message of an unknown type', Buffer.concat([greeting, Buffer.of(77)])],
  ['another QEMU message', Buffer.concat([greeting, Buffer.of(255, 1)])],
  ['a clipboard without end', Buffer.concat([greeting, Buffer.of(6, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff)])],
  ['the least integer as its length', Buffer.concat([greeting, Buffer.of(6, 0, 0, 0, 0x80, 0, 0, 0)])],
  ['a fence that is too long', Buffer.concat([greeting, Buffer.of(248, 0, 0, 0, 0, 0, 0, 0, 65)])],
])('%s ends it', (_what, sent) => {
  expect(() => passAll([sent])).toThrow(RfbError);
});

test('input is told of, whatever the chunks', () => {
  const [key, pointer, update] = [
    Buffer.of(4, 1, 0, 0, 0, 0, 0, 97),
    Buffer.of(5, 1, 0, 1, 0, 1),
    Buffer.alloc(10, 3),
  ];
  const sent = Buffer.concat([greeting, pointer, update, key, pointer]);
  const inputs: string[] = [];
  const filter = new ViewOnlyFilter((input) => inputs.push(input));
  for (const byte of sent) filter.pass(Buffer.of(byte));
  expect(inputs).toEqual(['pointer', 'keys', 'pointer']);
});
