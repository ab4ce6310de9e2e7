import { expect, test } from 'vitest';
import * as ws from 'ws';
import { maxHeadBytes, writeTextFrameHead } from './text-frame.ts';

test.each([0, 1, 125, 126, 127, 65_535, 65_536, 70_000, 16_777_216])(
  'a frame of %s bytes has the head that ws writes',
  (bytes) => {
    const options = { fin: true, opcode: 1, mask: false, readOnly: true, rsv1: false };
    // Not in the types of `ws`.
    const { Sender } = ws as unknown as { Sender: { frame(data: Buffer, options: object): Buffer[] } };
    const [head] = Sender.frame(Buffer.alloc(bytes), options);
    const written = Buffer.alloc(maxHeadBytes);
    expect(written.subarray(0, writeTextFrameHead(written, 0, bytes))).toEqual(head);
  },
);
