import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MessageSplitter } from './message-splitter.ts';

const messages = fc.array(fc.string({ minLength: 1 }).filter((text) => !text.includes('\0')));

it('delivers the same messages however the bytes are cut, from a buffer that is filled again and again', () => {
  fc.assert(
    fc.property(messages, fc.array(fc.integer({ min: 1, max: 9 })), (sent, cuts) => {
      const received: string[] = [];
      const splitter = new MessageSplitter((message) => received.push(message.toString()));
      let bytes = Buffer.from(sent.map((text) => `${text}\0`).join(''));
      const buffer = Buffer.alloc(bytes.length);
      for (const cut of [...cuts, bytes.length]) {
        bytes.copy(buffer, 0, 0, cut);
        splitter.read(buffer.subarray(0, Math.min(cut, bytes.length)));
        bytes = bytes.subarray(cut);
        buffer.fill('x');
      }
      expect(received).toEqual(sent);
    }),
  );
});
