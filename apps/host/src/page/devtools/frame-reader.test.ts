import { expect, it } from 'vitest';
import { type Admission, clientFrame, type FrameListener, FrameReader } from './frame-reader.ts';

class Heard implements FrameListener {
  readonly messages: string[] = [];
  readonly others: string[] = [];
  admission: Admission = 'take';
  admit(_start: Buffer, bytes: number): Admission {
    this.others.push(`asked ${bytes}`);
    return this.admission;
  }
  onMessage(message: Buffer): void {
    this.messages.push(message.toString());
  }
  onPing(payload: Buffer): void {
    this.others.push(`ping ${payload}`);
  }
  onClose(code: number): void {
    this.others.push(`close ${code}`);
  }
  onMalformed(): void {
    this.others.push('malformed');
  }
}

function serverFrame(opcode: number, payload: Buffer): Buffer {
  const [head = Buffer.alloc(0)] = clientFrame('text', payload);
  const plain = Buffer.from(head.subarray(0, head.length - 4));
  plain[0] = 0x80 | opcode;
  plain[1] = (plain[1] as number) & 0x7f;
  return Buffer.concat([plain, payload]);
}
const text = (content: string) => serverFrame(1, Buffer.from(content));

it('reads messages however they are cut', () => {
  const messages = ['', 'a', 'b'.repeat(125), 'c'.repeat(126), 'd'.repeat(70_000), 'e'];
  const bytes = Buffer.concat([
    ...messages.map(text),
    serverFrame(9, Buffer.from('p')),
    serverFrame(8, Buffer.from([3, 232])),
  ]);
  for (const size of [1, 2, 3, 127, 1000, 65_536, bytes.length]) {
    const heard = new Heard();
    const reader = new FrameReader(heard);
    for (let at = 0; at < bytes.length; at += size) reader.read(bytes.subarray(at, at + size));
    expect(heard.messages).toEqual(messages);
    expect(heard.others.slice(-2)).toEqual(['ping p', 'close 1000']);
  }
});

it('skips a message that is not wanted, and waits for memory', () => {
  const heard = new Heard();
  const reader = new FrameReader(heard);
  heard.admission = 'skip';
  const long = text('x'.repeat(100_000));
  reader.read(long.subarray(0, 50_000));
  reader.read(Buffer.concat([long.subarray(50_000), text('next')]));
  expect(heard.messages).toEqual(['next']);
  heard.admission = 'wait';
  reader.read(long.subarray(0, 50_000));
  expect(reader.isWaiting).toBe(true);
  heard.admission = 'take';
  reader.resume();
  expect(reader.isWaiting).toBe(false);
  reader.read(long.subarray(50_000));
  expect(heard.messages[1]).toHaveLength(100_000);
});

it('stops at what a server of ours does not send', () => {
  for (const bytes of [
    [0x01, 1, 97],
    [0x82, 1, 97],
    [0x81, 0x81, 0, 0, 0, 0, 97],
    [0xc1, 1, 97],
    [0x89, 126, 0, 200],
  ]) {
    const heard = new Heard();
    const reader = new FrameReader(heard);
    reader.read(Buffer.from(bytes));
    reader.read(text('after'));
    expect([heard.messages, heard.others]).toEqual([[], ['malformed']]);
  }
});
