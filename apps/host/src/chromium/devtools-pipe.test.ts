import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DevToolsPipe } from './devtools-pipe.ts';

const messages = fc.array(fc.string({ minLength: 1 }).filter((text) => !text.includes('\0')));

it('delivers the same messages however the bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(messages, fc.array(fc.integer({ min: 1, max: 9 })), async (sent, cuts) => {
      const output = new PassThrough();
      const received: string[] = [];
      const closed = new DevToolsPipe(new PassThrough(), output).deliverTo({
        message: (message) => received.push(message.toString()),
        batchEnd: () => {},
      });
      let bytes = Buffer.from(sent.map((text) => `${text}\0`).join(''));
      for (const cut of cuts) {
        if (bytes.length > 0) output.write(bytes.subarray(0, cut));
        bytes = bytes.subarray(cut);
      }
      output.end(bytes);
      await closed;
      expect(received).toEqual(sent);
    }),
  );
});

it('writes what is sent in one turn at once, each message with its end', async () => {
  const input = new PassThrough();
  const pipe = new DevToolsPipe(input, new PassThrough());
  pipe.send(Buffer.from('{"id":1'), '}');
  pipe.send('{"id":2}');
  await new Promise(process.nextTick);
  expect(String(input.read())).toBe('{"id":1}\0{"id":2}\0');
});

it('cuts a browser off whose message cannot be taken', async () => {
  const output = new PassThrough();
  const received: string[] = [];
  const closed = new DevToolsPipe(new PassThrough(), output).deliverTo({
    message: (message) => received.push(JSON.parse(message.toString())),
    batchEnd: () => {},
  });
  output.write('1\0rubbish\0' + '2\0');
  await closed;
  expect(received).toEqual([1]);
});
