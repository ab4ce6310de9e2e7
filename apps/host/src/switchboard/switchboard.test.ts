import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AttachedTarget } from '../chromium/controller.ts';
import { DevToolsPipe, type PipeListener } from '../chromium/devtools-pipe.ts';
import { Wire } from '../relay/wire.ts';
import { createPair } from './libc.ts';

const root = 'A'.repeat(32);
const child = 'B'.repeat(32);
const attached = `{"method":"Target.attachedToTarget","params":{"sessionId":"${child}"},"sessionId":"${root}"}`;

/** The other end of a descriptor that the switchboard has, and all that was read from it. */
class End {
  readonly socket: Socket;
  #text = '';

  constructor(descriptor: number) {
    this.socket = new Socket({ fd: descriptor });
    this.socket.on('data', (chunk) => {
      this.#text += chunk.toString('latin1');
    });
  }

  async reads(text: string): Promise<void> {
    while (!this.#text.includes(text)) await once(this.socket, 'data');
  }

  get text(): string {
    return this.#text;
  }
}

let browserIn: End;
let browserOut: End;
let client: End;
let pipe: DevToolsPipe;
let wire: Wire;
const told: string[] = [];
const asked: string[] = [];
let targets = Promise.withResolvers<AttachedTarget>();

function openPipe(listener: Partial<PipeListener> = {}): DevToolsPipe {
  const [input, itsInput] = createPair();
  const [output, itsOutput] = createPair();
  browserIn = new End(itsInput);
  browserOut = new End(itsOutput);
  return new DevToolsPipe(
    { input, output },
    {
      message: (text) => void told.push(text),
      attached: (_caller, target) => targets.resolve(target),
      detached: () => {},
      ...listener,
    },
  );
}

/** A frame of text as a client sends it, masked with zeros. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(14);
  head[0] = 0x81;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

const toChild = (id: number, filler = '') =>
  `{"id":${id},"method":"Runtime.evaluate","params":{"expression":"${filler}"},"sessionId":"${child}"}`;

beforeEach(() => {
  told.length = 0;
  asked.length = 0;
  targets = Promise.withResolvers();
  begin();
});
afterEach(() => end());

function begin(): void {
  pipe = openPipe();
  const [descriptor, itsEnd] = createPair();
  client = new End(itsEnd);
  wire = new Wire({ line: pipe.line, rootSession: root, descriptor, first: new Uint8Array() });
  wire.listenWith({ asked: (message) => void asked.push(message.toString()), slow: () => {} });
}

async function end(): Promise<void> {
  for (const { socket } of [browserIn, browserOut, client]) socket.destroy();
  await pipe.ended;
  wire.destroy();
}

async function attachChild(): Promise<void> {
  browserOut.socket.write(`${attached}\0`);
  await targets.promise;
  await client.reads(child);
}

it('passes a message to a session of the client as it is, and back', async () => {
  await attachChild();
  pipe.letGo(child);
  client.socket.write(frame(toChild(7)));
  await browserIn.reads('\0');
  expect(browserIn.text).toBe(`${toChild(7)}\0`);
  const answer = `{"id":7,"result":{},"sessionId":"${child}"}`;
  browserOut.socket.write(`${answer}\0`);
  await client.reads(answer);
  expect([told, asked]).toEqual([[], []]);
});

it('takes the session off what comes for the connection itself', async () => {
  browserOut.socket.write(`{"id":1,"result":{},"sessionId":"${root}"}\0`);
  await client.reads('{"id":1,"result":{}}');
  expect(client.text).not.toContain('sessionId');
});

it('keeps what a client does not read yet, byte for byte', async () => {
  await attachChild();
  client.socket.pause();
  const answers = Array.from(
    { length: 3000 },
    (_, id) => `{"id":${id},"result":{"value":"${String(id).repeat(200)}"},"sessionId":"${child}"}`,
  );
  browserOut.socket.write(`${answers.join('\0')}\0`);
  pipe.send('{"id":1,"method":"Browser.getVersion"}');
  await browserIn.reads('\0'); // By now the thread is well into them.
  client.socket.resume();
  await client.reads(answers.at(-1) ?? '');
  const read = answers.filter((answer) => client.text.includes(answer));
  expect(read).toHaveLength(answers.length);
});

it('has the host judge all else, one message at a time, and what comes behind waits', async () => {
  await attachChild();
  pipe.letGo(child);
  const emulation = toChild(1).replace('Runtime.evaluate', 'Emulation.setLocaleOverride');
  client.socket.write(Buffer.concat([frame('{"id":0,"method":"X"}'), frame(emulation), frame(toChild(2))]));
  await browserIn.reads('\0');
  expect(asked).toEqual(['{"id":0,"method":"X"}', emulation]);
  expect(browserIn.text).toBe(`${toChild(2)}\0`);
});

it('keeps a client’s messages in order while one of its sessions waits for the host, to whichever they are', async () => {
  await attachChild();
  const other = 'C'.repeat(32);
  targets = Promise.withResolvers();
  browserOut.socket.write(`${attached.replace(child, other)}\0`);
  await targets.promise;
  await client.reads(other);
  pipe.letGo(other);
  const toOther = (id: number) => toChild(id).replace(child, other);
  const messages = [toOther(1), toChild(2), toOther(3), '{"id":4,"method":"X"}', toChild(5)];
  client.socket.write(Buffer.concat(messages.map(frame)));
  await browserIn.reads('"id":1');
  pipe.send('{"id":0,"method":"Browser.getVersion"}'); // The thread has read them all when it takes this.
  await browserIn.reads('Browser.getVersion');
  expect(asked).toEqual([]);
  pipe.letGo(child);
  await browserIn.reads('"id":5');
  expect(asked).toEqual(['{"id":4,"method":"X"}']);
  expect(browserIn.text.match(/"id":\d/g)).toEqual(['"id":1', '"id":0', '"id":2', '"id":3', '"id":5']);
});

it('has what was for a session that ended while it waited judged by the host', async () => {
  await attachChild();
  client.socket.write(frame(toChild(1)));
  browserOut.socket.write(
    `{"method":"Target.detachedFromTarget","params":{"sessionId":"${child}"},"sessionId":"${root}"}\0`,
  );
  await expect.poll(() => asked).toEqual([toChild(1)]);
});

it('tells the host what is no client’s, and cuts off a browser whose message it cannot take', async () => {
  const strict = openPipe({ message: (text) => void told.push(JSON.parse(text)) });
  browserOut.socket.write('1\0rubbish\0');
  await strict.ended;
  browserOut.socket.destroy();
  browserIn.socket.destroy();
  expect(told).toEqual([1]);
  pipe = openPipe();
});

it('closes every descriptor when the browser and its clients are gone', async () => {
  const descriptors = () => readdirSync('/proc/self/fd').length;
  const before = descriptors();
  for (let i = 0; i < 50; i++) {
    await end();
    begin();
  }
  await expect.poll(descriptors).toBeLessThanOrEqual(before);
});
