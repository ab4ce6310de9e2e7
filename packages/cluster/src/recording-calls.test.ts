import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeChunk, encodeChunk } from './recording-calls.ts';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
const time = fc.double({ min: 0, max: 1e9, noNaN: true }).map((ms) => ms + 0);
const chunk = fc.array(bytes(50), { maxLength: 8 }).chain((pictures) =>
  fc.record({
    sessionId: fc.stringMatching(/^br_[0-9a-f]{24}$/),
    index: fc.nat(),
    ageMs: time,
    events: bytes(300),
    pictures: fc.constant(pictures),
    summary: fc.record({
      fromMs: time,
      toMs: time,
      events: fc.nat(),
      errors: fc.nat(),
      pictureTimes: fc.array(time, { minLength: pictures.length, maxLength: pictures.length }),
    }),
    isLast: fc.boolean(),
  }),
);

test('a chunk arrives as it was sent', () => {
  fc.assert(
    fc.property(chunk, (sent) => {
      expect(decodeChunk(encodeChunk(sent))).toEqual(sent);
    }),
  );
});

test('what is cut off, too long or something else is no chunk', () => {
  fc.assert(
    fc.property(chunk, fc.nat(), bytes(20), (sent, cut, more) => {
      const body = encodeChunk(sent);
      expect(decodeChunk(body.subarray(0, cut % body.length))).toBeUndefined();
      if (more.length > 0) expect(decodeChunk(Buffer.concat([body, more]))).toBeUndefined();
      expect(decodeChunk(more)).toBeUndefined();
    }),
  );
});
