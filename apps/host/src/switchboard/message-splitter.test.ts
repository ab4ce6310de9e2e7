import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MessageSplitter } from './message-splitter.ts';

const messages = fc.array(
  fc
    .oneof(fc.string({ minLength: 1 }), fc.string({ minLength: 250, maxLength: 600 }))
    .filter((text) => !text.includes('\0')),
);

it('delivers the same messages however the bytes are cut, from a buffer that is filled again and again', () => {
  fc.assert(
    fc.property(
      messages,
      fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 700 }))),
      (sent, cuts) => {
        const received: string[] = [];
        const splitter = new MessageSplitter((bytes, start, end) =>
          received.push(bytes.toString('utf8', start, end)),
        );
        let bytes = Buffer.from(sent.map((text) => `${text}\0`).join(''));
        const buffer = Buffer.alloc(bytes.length);
        for (const cut of [...cuts, bytes.length]) {
          bytes.copy(buffer, 0, 0, cut);
          splitter.read(buffer, Math.min(cut, bytes.length));
          bytes = bytes.subarray(cut);
          buffer.fill(0);
        }
        expect(received).toEqual(sent);
      },
    ),
  );
});
