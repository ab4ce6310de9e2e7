import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Socket } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { BrowserWork } from '../chromium/browser-work.ts';
import { DevToolsPipe, type PipeListener } from '../chromium/devtools-pipe.ts';
import type { TappedMessage } from '../filters/message-tap.ts';
import { createSocketPair } from '../native/libc.ts';
import type { ClientStream } from './client-stream.ts';
import type { Command } from './commands.ts';
import { PlainSwitchboard } from './plain-switchboard.ts';
import type { Refusal } from './refusals.ts';
import type { PipeEnd, Switchboard, SwitchboardObserver } from './switchboard.ts';
import type { AttachedTarget } from './targets.ts';
import { ThreadSwitchboard } from './thread/thread-switchboard.ts';

/** What both switchboards do: the plain one is the reference for the other. */

watchLeaks();

const root = 'A'.repeat(32);
const child = 'B'.repeat(32);
const attached = `{"method":"Target.attachedToTarget","params":{"sessionId":"${child}"},"sessionId":"${root}"}`;

/** The other end of something that the switchboard has, and all that was read from it. */
class End {
  readonly socket: Socket;
  #bytes = Buffer.alloc(2 ** 16);
  #length = 0;

  constructor(descriptor: number) {
    this.socket = streamOn(descriptor);
    this.socket.on('data', (chunk) => {
      while (this.#length + chunk.length > this.#bytes.length) {
        this.#bytes = Buffer.concat([this.#bytes], this.#bytes.length * 2);
      }
      this.#length += chunk.copy(this.#bytes, this.#length);
    });
  }

  async reads(text: string): Promise<void> {
    let searched = 0;
    while (this.#bytes.subarray(0, this.#length).indexOf(text, searched, 'latin1') === -1) {
      searched = Math.max(0, this.#length - text.length);
      await once(this.socket, 'data');
    }
  }

  get text(): string {
    return this.#bytes.toString('latin1', 0, this.#length);
  }
}

function streamOn(descriptor: number): Socket {
  return new Socket({ fd: descriptor, readable: true, writable: true, allowHalfOpen: true });
}

interface Implementation {
  create(observer: SwitchboardObserver): Switchboard;
  /** A pipe's end as it takes it. */
  pipeEnd(descriptor: number): PipeEnd;
}

const implementations: Record<string, Implementation> = {
  thread: { create: (observer) => new ThreadSwitchboard(observer), pipeEnd: (descriptor) => descriptor },
  plain: { create: (observer) => new PlainSwitchboard(observer), pipeEnd: streamOn },
};

/** A frame of text as a client sends it, masked with zeros. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(14);
  head[0] = 0x81;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

const pingFrame = Buffer.from([0x89, 0x80, 0, 0, 0, 0]);

/** A close frame without a reason. */
const closeFrame = Buffer.from([0x88, 0x80, 0, 0, 0, 0]);

const toChild = (id: number, filler = '') =>
  `{"id":${id},"method":"Runtime.evaluate","params":{"expression":"${filler}"},"sessionId":"${child}"}`;

describe.each(Object.entries(implementations))('the %s switchboard', (_name, { create, pipeEnd }) => {
  const errors: string[] = [];
  const switchboard = create({
    onError: (error) => void errors.push(error),
    onThreadDied: (error) => void errors.push(error),
  });
  let browserIn: End;
  let browserOut: End;
  let client: End;
  let clients: End[] = [];
  let streams: ClientStream[] = [];
  let pipe: DevToolsPipe;
  let stream: ClientStream;
  const told: string[] = [];
  const asked: string[] = [];
  const tapped: TappedMessage[] = [];
  let refused: (Refusal & { canBeTold: boolean })[] = [];
  let targets = Promise.withResolvers<AttachedTarget>();

  function openPipe(listener: Partial<PipeListener> = {}, bufferBytes?: number): DevToolsPipe {
    const [input, itsInput] = createSocketPair();
    const [output, itsOutput] = createSocketPair();
    browserIn = new End(itsInput);
    browserOut = new End(itsOutput);
    return new DevToolsPipe({
      work: new BrowserWork(),
      switchboard,
      ends: { input: pipeEnd(input), output: pipeEnd(output) },
      listener: {
        message: (text) => void told.push(text),
        attached: (_clientId, target) => targets.resolve(target),
        detached: () => {},
        tapped: (message) => void tapped.push(message),
        ...listener,
      },
      ...(bufferBytes !== undefined && { bufferBytes }),
    });
  }

  beforeEach(() => {
    told.length = 0;
    asked.length = 0;
    tapped.length = 0;
    errors.length = 0;
    targets = Promise.withResolvers();
    begin();
  });
  afterEach(() => end());
  afterAll(() => switchboard.close());

  function begin(bufferBytes?: number): void {
    refused = [];
    pipe = openPipe({}, bufferBytes);
    [client, stream] = connectClient(root);
  }

  function connectClient(rootCdpSessionId: string): [End, ClientStream] {
    const [descriptor, itsEnd] = createSocketPair();
    const connected = pipe.connectClient(rootCdpSessionId, streamOn(descriptor), Buffer.alloc(0));
    connected.on('error', () => {});
    connected.listenWith({
      onMessage: (message) => void asked.push(message.toString()),
      onRefused: (refusal, canBeTold) => void refused.push({ ...refusal, canBeTold }),
    });
    const far = new End(itsEnd);
    clients.push(far);
    streams.push(connected);
    return [far, connected];
  }

  async function end(): Promise<void> {
    for (const { socket } of [browserIn, browserOut, ...clients]) socket.destroy();
    await pipe.ended;
    for (const connected of streams) connected.destroy();
    [clients, streams] = [[], []];
  }

  async function attachChild(): Promise<void> {
    browserOut.socket.write(`${attached}\0`);
    await targets.promise;
    await client.reads(child);
  }

  it('passes a message to a session of the client as it is, and back', async () => {
    await attachChild();
    pipe.release(child);
    client.socket.write(frame(toChild(7)));
    await browserIn.reads('\0');
    expect(browserIn.text).toBe(`${toChild(7)}\0`);
    const answer = `{"id":7,"result":{},"sessionId":"${child}"}`;
    browserOut.socket.write(`${answer}\0`);
    await client.reads(answer);
    expect([told, asked]).toEqual([[], []]);
  });

  it('holds nothing for ids of CDP sessions that a message with stealth only mentions', async () => {
    pipe.hideClients();
    await attachChild();
    pipe.release(child);
    client.socket.write(frame(toChild(1)));
    await browserIn.reads(toChild(1));
    const before = pipe.budget.heldBytes;
    const mentions = (id: number) =>
      `{"sessionId":"${child}","id":${id},"method":"Page.x","params":{"sessionId":"${id.toString(16).toUpperCase().padStart(32, '0')}"}}`;
    for (let id = 2; id < 50; id++) stream.pass(Buffer.from(mentions(id)), child);
    stream.pass(Buffer.from(mentions(50)), 'C'.repeat(32));
    await browserIn.reads(mentions(50));
    expect(pipe.budget.heldBytes).toBe(before);
    expect(before).toBeGreaterThan(0);
  });

  it('keeps back what a paused client sends, but not its pings, and passes it on in order', async () => {
    await attachChild();
    pipe.release(child);
    await pipe.pauseClients(true);
    const pinged = once(stream, 'data');
    const toHost = `{"id":2,"method":"Target.getTargets"}`;
    client.socket.write(Buffer.concat([frame(toChild(1)), frame(toHost), pingFrame, frame(toChild(3))]));
    await pinged;
    client.socket.write(closeFrame);
    expect([browserIn.text, asked]).toEqual(['', []]);
    const closed = once(stream, 'data');
    void pipe.pauseClients(false);
    await closed;
    expect(asked).toEqual([toHost]);
    await browserIn.reads(toChild(3));
    expect(browserIn.text).toBe(`${toChild(1)}\0${toChild(3)}\0`);
  });

  it('reads on where a message waits for a new CDP session, and passes all on in order when that is released', async () => {
    await attachChild();
    const pinged = once(stream, 'data');
    const toHost = `{"id":2,"method":"Target.getTargets"}`;
    client.socket.write(Buffer.concat([frame(toChild(1)), frame(toHost), pingFrame, frame(toChild(3))]));
    await pinged;
    expect([browserIn.text, asked]).toEqual(['', []]);
    pipe.release(child);
    await browserIn.reads(toChild(3));
    expect([browserIn.text, asked]).toEqual([`${toChild(1)}\0${toChild(3)}\0`, [toHost]]);
  });

  it('lets the end of a paused client wait for what it sent before', async () => {
    await attachChild();
    pipe.release(child);
    await pipe.pauseClients(true);
    const pinged = once(stream, 'data');
    client.socket.end(Buffer.concat([frame(toChild(1)), pingFrame]));
    await pinged;
    const ended = once(stream, 'end');
    void pipe.pauseClients(false);
    await ended;
    await browserIn.reads(`${toChild(1)}\0`);
  });

  it('takes the session off what comes for the connection itself', async () => {
    browserOut.socket.write(`{"id":1,"result":{},"sessionId":"${root}"}\0`);
    await client.reads('{"id":1,"result":{}}');
    expect(client.text).not.toContain('sessionId');
  });

  it('with hidden clients answers Runtime.enable itself, in the order of the messages around it', async () => {
    pipe.hideClients();
    await attachChild();
    pipe.release(child);
    const enable = `{"id":7,"method":"Runtime.enable","params":{},"sessionId":"${child}"}`;
    client.socket.write(Buffer.concat([frame(toChild(6)), frame(enable), frame(toChild(8))]));
    await browserIn.reads('"id":8');
    const methods = [...browserIn.text.matchAll(/"id":(-?\d+),"method":"(\S+?)"/g)].map(([, id, method]) => [
      id,
      method,
    ]);
    expect(methods).toEqual([
      ['6', 'Runtime.evaluate'],
      ['-1', 'Page.enable'],
      ['-2', 'Page.getFrameTree'],
      ['8', 'Runtime.evaluate'],
    ]);
    const frameTree = '{"frame":{"id":"F","securityOrigin":"http://site.test"}}';
    browserOut.socket.write(`{"id":-2,"result":{"frameTree":${frameTree}},"sessionId":"${child}"}\0`);
    await browserIn.reads('"expression":"globalThis"');
    const [, id] =
      /"id":(-\d+),"method":"Runtime.evaluate","params":\{"expression":"globalThis"/.exec(browserIn.text) ??
      [];
    browserOut.socket.write(
      `{"id":${id},"result":{"result":{"type":"object","objectId":"1.5.1"}},"sessionId":"${child}"}\0`,
    );
    await client.reads(`{"id":7,"result":{},"sessionId":"${child}"}`);
    expect(client.text).toMatch(/Runtime\.executionContextCreated.*"id":5.*\{"id":7,"result"/s);
    expect(client.text).not.toContain('"id":-');
  });

  it('reports commands and answers of a recorded session, whole or in part, and no events', async () => {
    pipe.tap();
    const [ownRoot, large] = ['C'.repeat(32), 'x'.repeat(100_000)];
    const [recorded, { clientId }] = connectClient(ownRoot);
    browserOut.socket.write(`${attached.replace(root, ownRoot)}\0`);
    await recorded.reads(child);
    pipe.release(child);
    const toRoot = '{"id":1,"method":"Target.getTargets"}';
    recorded.socket.write(Buffer.concat([frame(toChild(7)), frame(toChild(8, large)), frame(toRoot)]));
    await browserIn.reads('"id":8');
    browserOut.socket.write(`{"method":"Page.loadEventFired","params":{},"sessionId":"${child}"}\0`);
    browserOut.socket.write(`{"id":8,"result":{"value":"${large}"},"sessionId":"${child}"}\0`);
    browserOut.socket.write(`{"id":1,"result":{},"sessionId":"${ownRoot}"}\0`);
    await recorded.reads('{"id":1,"result":{}}');
    await expect.poll(() => tapped.length).toBe(5);
    const [first, second, ...others] = tapped;
    expect(first).toMatchObject({ clientId, from: 'client', text: toChild(7), isWhole: true, dropped: 0 });
    expect(second).toMatchObject({ isWhole: false, cdpSessionId: child });
    expect(second?.text.length).toBeLessThan(500);
    expect(second?.text).toMatch(/^\{"id":8,"method":"Runtime\.evaluate".*\n.*"sessionId":"B{32}"\}$/s);
    expect(others).toMatchObject([
      { from: 'client', text: toRoot, cdpSessionId: undefined },
      { from: 'browser', isWhole: false, cdpSessionId: child },
      { from: 'browser', isWhole: true, cdpSessionId: undefined },
    ]);
    const times = tapped.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('reports nothing of a session that is not recorded', async () => {
    await attachChild();
    pipe.release(child);
    client.socket.write(frame(toChild(7)));
    await browserIn.reads('\0');
    browserOut.socket.write(`{"id":7,"result":{},"sessionId":"${child}"}\0`);
    await client.reads('"id":7');
    expect(tapped).toEqual([]);
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
    await browserIn.reads('\0'); // By now it is well into them.
    client.socket.resume();
    await client.reads(answers.at(-1) ?? '');
    const { text } = client;
    const read = answers.filter((answer) => text.includes(answer));
    expect(read).toHaveLength(answers.length);
  });

  it('has the host judge all else, one message at a time, and what comes behind waits', async () => {
    await attachChild();
    pipe.release(child);
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
    pipe.release(other);
    const toOther = (id: number) => toChild(id).replace(child, other);
    const messages = [toOther(1), toChild(2), toOther(3), '{"id":4,"method":"X"}', toChild(5)];
    client.socket.write(Buffer.concat(messages.map(frame)));
    await browserIn.reads('"id":1');
    pipe.send('{"id":0,"method":"Browser.getVersion"}'); // It has read them all when it sends this.
    await browserIn.reads('Browser.getVersion');
    expect(asked).toEqual([]);
    pipe.release(child);
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

  it('refuses a message with a zero byte in it, and nothing of it reaches the browser', async () => {
    await attachChild();
    pipe.release(child);
    const hidden = '{"id":9,"method":"Browser.close"}';
    client.socket.write(frame(`${hidden}\0${toChild(1)}`));
    client.socket.write(frame(toChild(2, `${'x'.repeat(1000)}\0`)));
    await expect.poll(() => refused).toMatchObject([{ code: 1007, canBeTold: true }]);
    pipe.send('{"id":1,"method":"Browser.getVersion"}');
    await browserIn.reads('\0');
    expect(browserIn.text).toBe('{"id":1,"method":"Browser.getVersion"}\0');
  });

  it('closes those clients that hold the most when a session’s buffers are full, and frees what they held', async () => {
    await end();
    begin(8 * 2 ** 20);
    const roots = Array.from({ length: 20 }, (_, i) => i.toString(16).toUpperCase().padStart(32, '0'));
    for (const each of roots) connectClient(each)[0].socket.pause();
    const filler = 'x'.repeat(2 ** 18);
    const events = Array.from({ length: 10 }, () =>
      roots.map((each) => `{"method":"A","params":{"filler":"${filler}"},"sessionId":"${each}"}\0`),
    );
    const reader = `{"method":"Last","sessionId":"${root}"}`;
    browserOut.socket.write(`${events.flat().join('')}${reader}\0`);
    await client.reads('Last');
    expect(refused.length).toBeGreaterThan(3);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set([1009]));
    expect(pipe.budget.heldBytes).toBeLessThanOrEqual(8 * 2 ** 20);
  }, 20_000);

  it('closes the client whose result there is no room for, and no other', async () => {
    await end();
    begin(2 ** 20);
    const [other] = connectClient('C'.repeat(32));
    const result = `{"id":1,"result":{"value":"${'x'.repeat(3 * 2 ** 20)}"},"sessionId":"${root}"}`;
    browserOut.socket.write(`${result}\0{"id":2,"result":{},"sessionId":"${'C'.repeat(32)}"}\0`);
    await other.reads('"id":2');
    await expect.poll(() => refused).toMatchObject([{ code: 1009, canBeTold: true }]);
    expect(pipe.budget.heldBytes).toBe(0);
  });

  it('passes a large message on, both ways, byte for byte, and holds nothing afterwards', async () => {
    await attachChild();
    pipe.release(child);
    const message = toChild(5, 'y'.repeat(20 * 2 ** 20));
    client.socket.write(frame(message));
    const toRoot = `{"id":6,"method":"Runtime.evaluate","params":{"expression":"${'z'.repeat(2 ** 20)}"}}`;
    client.socket.write(frame(toRoot));
    await browserIn.reads(`"sessionId":"${child}"}\0`);
    expect(browserIn.text === `${message}\0`).toBe(true);
    await expect.poll(() => asked).toHaveLength(1);
    pipe.sendTo(root, Buffer.from(asked[0] as string), toRoot.length - 1);
    await browserIn.reads(`"sessionId":"${root}"}\0`);
    const answer = `{"id":5,"result":{"value":"${'y'.repeat(20 * 2 ** 20)}"},"sessionId":"${child}"}`;
    browserOut.socket.write(`${answer}\0`);
    await client.reads(answer);
    await expect.poll(() => pipe.budget.heldBytes).toBe(0);
  }, 30_000);

  it('cuts a browser off that tells of a target what cannot be read, and no other', async () => {
    const first = { pipe, browserOut, browserIn };
    pipe = openPipe();
    const [healthy, healthyBrowser, healthyInput] = [pipe, browserOut, browserIn];
    const [far] = connectClient('D'.repeat(32));
    const depth = 50_000;
    const nested = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    first.browserOut.socket.write(
      `{"method":"Target.attachedToTarget","params":{"sessionId":"${child}","targetInfo":{"type":${nested}}},"sessionId":"${root}"}\0`,
    );
    await targets.promise;
    first.browserOut.socket.write(`{"method":"Target.attachedToTarget",rubbish,"sessionId":"${root}"}\0`);
    await first.pipe.ended;
    healthyBrowser.socket.write(`{"id":1,"result":{},"sessionId":"${'D'.repeat(32)}"}\0`);
    await far.reads('"id":1');
    for (const { socket } of [healthyBrowser, healthyInput]) socket.destroy();
    await healthy.ended;
    ({ pipe, browserOut, browserIn } = first);
    expect(errors).toHaveLength(1);
  });

  it('ends a client whose handling fails, and no other', async () => {
    const [other] = connectClient('C'.repeat(32));
    await attachChild();
    switchboard.send({ type: 'pass', clientId: stream.clientId } as unknown as Command);
    await expect.poll(() => refused).toMatchObject([{ code: 1011, canBeTold: true }]);
    browserOut.socket.write(`{"id":1,"result":{},"sessionId":"${'C'.repeat(32)}"}\0`);
    await other.reads('"id":1');
    expect(errors).toHaveLength(1);
  });

  it('delivers to a client that has ended its own side', async () => {
    const hungUp = once(stream.resume(), 'end');
    client.socket.end();
    await hungUp;
    browserOut.socket.write(`{"id":1,"result":{},"sessionId":"${root}"}\0`);
    await client.reads('{"id":1,"result":{}}');
  });

  it('writes what waits before it ends the writing side', async () => {
    client.socket.pause();
    const last = 'the last bytes';
    stream.write('x'.repeat(2 ** 22));
    stream.end(last);
    const ended = once(client.socket, 'end');
    client.socket.resume();
    await ended;
    expect(client.text).toHaveLength(2 ** 22 + last.length);
  });

  it('sees the close of a client that was refused while it waited', async () => {
    await end();
    begin(2 ** 20);
    await attachChild();
    client.socket.pause();
    client.socket.write(frame(toChild(1))); // Waits, because the host has not released the session.
    const event = `{"method":"A","params":{"filler":"${'x'.repeat(2 ** 18)}"},"sessionId":"${root}"}\0`;
    browserOut.socket.write(event.repeat(20));
    await expect.poll(() => refused).toMatchObject([{ code: 1009 }]);
    const control = once(stream, 'data');
    client.socket.write(closeFrame);
    expect(await control).toEqual([closeFrame]);
    expect(browserIn.text).toBe('');
  });

  it('closes every descriptor when the browser and its clients are gone', async () => {
    await attachChild(); // By now the switchboard is up.
    const descriptors = () => readdirSync('/proc/self/fd').length;
    const before = descriptors();
    for (let i = 0; i < 50; i++) {
      await end();
      begin();
    }
    await expect.poll(descriptors).toBeLessThanOrEqual(before);
  });
});
