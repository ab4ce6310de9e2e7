import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Worker } from 'node:worker_threads';
import { Watchdog } from '@turnpike/process/work/watchdog';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDescriptors } from '../../../../../tests/fixtures/process/open-descriptors.ts';
import { watchLeaks } from '../../../../../tests/fixtures/suite/leaks.ts';
import { BrowserWork } from '../../chromium/browser-work.ts';
import { DevToolsPipe } from '../../chromium/devtools-pipe.ts';
import { createSocketPair } from '../../native/libc.ts';
import type { Command } from '../commands.ts';
import { ThreadSwitchboard } from './thread-switchboard.ts';

watchLeaks();

const root = 'A'.repeat(32);
const deaths: string[] = [];
const threads: Worker[] = [];
process.on('worker', (worker) => threads.push(worker));
let switchboard: ThreadSwitchboard;

beforeEach(() => {
  deaths.length = 0;
  threads.length = 0;
  switchboard = new ThreadSwitchboard({
    onError: (error) => expect.unreachable(error),
    onThreadDied: (error) => void deaths.push(error),
  });
});
afterEach(() => switchboard.close());

/** A browser with a client. */
function openBrowser() {
  const [[nearInput, farInput], [output, farOutput], [near, far]] = [
    createSocketPair(),
    createSocketPair(),
    createSocketPair(),
  ];
  const listener = { message: () => {}, attached: () => {}, detached: () => {}, tapped: () => {} };
  const pipe = new DevToolsPipe({
    switchboard,
    ends: { input: nearInput, output },
    listener,
    work: new BrowserWork(),
  });
  const stream = pipe.connectClient(root, new Socket({ fd: near, allowHalfOpen: true }), Buffer.alloc(0));
  const sockets = [farInput, farOutput, far].map((fd) => new Socket({ fd, allowHalfOpen: true }));
  const [input, browser, client] = sockets as [Socket, Socket, Socket];
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    stream.destroy();
    await pipe.ended;
  };
  return { pipe, stream, input, browser, client, close };
}

type Opened = ReturnType<typeof openBrowser>;

async function expectServed({ browser, client }: Opened): Promise<void> {
  browser.write(`{"id":1,"result":{},"sessionId":"${root}"}\0`);
  const [frame] = (await once(client, 'data')) as [Buffer];
  expect(frame.subarray(2).toString()).toBe('{"id":1,"result":{}}');
}

const sendToThread = (type: string) => switchboard.send({ type, pipeId: 1 } as unknown as Command);

/** Ways in which a thread ends without the switchboard's knowledge. */
const deathOf = {
  stops: () => sendToThread('stop'),
  /** As Node ends a thread that has no memory left. */
  'is terminated'() {
    void threads[0]?.terminate();
    sendToThread('wake');
  },
};

it.each(Object.entries(deathOf))(
  'a thread that %s ends its own sessions, whose clients are told, and the next has a new thread',
  async (_, kill) => {
    const first = openBrowser();
    const beside = openBrowser();
    await expectServed(first);
    await expectServed(beside);
    expect(threads).toHaveLength(1);
    kill();
    await Promise.all([first.pipe.ended, beside.pipe.ended]);
    expect(deaths).toHaveLength(1);
    for (const { stream, client } of [first, beside]) {
      stream.end('the last word');
      expect(String(await once(client, 'data'))).toBe('the last word');
      await once(client, 'end');
    }
    await Promise.all([first.close(), beside.close()]);
    const next = openBrowser();
    await expectServed(next);
    expect(threads).toHaveLength(2);
    await next.close();
    expect(deaths).toHaveLength(1);
  },
);

it('a client cannot be connected to a browser whose thread died', async () => {
  const opened = openBrowser();
  await expectServed(opened);
  deathOf.stops();
  await opened.pipe.ended;
  const [near, far] = createSocketPair();
  using sockets = new DisposableStack();
  const socket = sockets.adopt(new Socket({ fd: near }), (made) => made.destroy());
  sockets.adopt(new Socket({ fd: far }), (made) => made.destroy());
  expect(() => opened.pipe.connectClient(root, socket, Buffer.alloc(0))).toThrow('The browser is gone');
  await opened.close();
});

it('one that is closed stops its thread, without an error, leaves no descriptor and starts no other', async () => {
  const descriptors = pollDescriptors();
  const opened = openBrowser();
  await expectServed(opened);
  await opened.close();
  const exited = Promise.all(threads.map((thread) => once(thread, 'exit')));
  await switchboard.close();
  expect(await exited).toEqual([[0]]);
  expect(pollDescriptors()).toEqual(descriptors);
  expect(deaths).toEqual([]);
  expect(() => openBrowser()).toThrow('The switchboard is closed');
});

/** Work that holds the thread, on the way to the client and on the way to the browser. */
const stalls = {
  'a message of the browser': ({ browser }: Opened) =>
    void browser.write(`{"id":1,"result":"endless loop","sessionId":"${root}"}\0`),
  'a command of the host': ({ stream }: Opened) => stream.pass(Buffer.from('endless loop'), root),
};

it.each(Object.entries(stalls))(
  'where %s holds the thread, its session ends as stalled, and those beside it keep their clients',
  async (_, stall) => {
    const logged: string[] = [];
    const logger = pino({}, { write: (line: string) => void logged.push(line) });
    await using watchdog = new Watchdog(logger, new Registry());
    const program = new URL('../../testing/stalling-thread.ts', import.meta.url);
    const observer = {
      onError: (error: string) => expect.unreachable(error),
      onThreadDied: (error: string) => expect.unreachable(error),
    };
    await switchboard.close();
    switchboard = new ThreadSwitchboard(observer, { watcher: watchdog, program });
    const [first, beside] = [openBrowser(), openBrowser()];
    await expectServed(first);
    await expectServed(beside);
    stall(first);
    // Waits behind the loop.
    beside.stream.pass(Buffer.from('{"id":2}'), root);
    await first.pipe.ended;
    expect(first.pipe.lost).toBe('stalled');
    expect(JSON.parse(logged.at(-1) ?? '')).toMatchObject({
      level: 60,
      msg: expect.stringContaining('stalled'),
    });
    expect(String(await once(beside.input, 'data'))).toBe('{"id":2}\0');
    await expectServed(beside);
    expect(beside.pipe.lost).toBeUndefined();
    const next = openBrowser();
    await expectServed(next);
    await Promise.all([first, beside, next].map((opened) => opened.close()));
  },
);

/** A WebSocket message in fragments of one byte, none of which ends it. */
function fragments(bytes: number): Buffer {
  const fragment = Buffer.from([0x00, 0x81, 0, 0, 0, 0, 0x20]);
  const all = Buffer.alloc(Math.floor(bytes / fragment.length) * fragment.length, fragment);
  all[0] = 0x01;
  return all;
}

it('serves a session between the slices of one that floods it from many sockets', async () => {
  const [flooded, beside] = [openBrowser(), openBrowser()];
  await Promise.all([expectServed(flooded), expectServed(beside)]);
  const flood = fragments(150_000);
  using sockets = new DisposableStack();
  const floods = Array.from({ length: 40 }, () => {
    const [near, far] = createSocketPair();
    const socket = sockets.adopt(new Socket({ fd: far }), (made) => made.destroy());
    socket.on('error', () => {}); // It is reset with what is not read.
    const client = new Socket({ fd: near, allowHalfOpen: true });
    return { stream: flooded.pipe.connectClient(root, client, Buffer.alloc(0)), socket };
  });
  const read = () => floods.reduce((sum, { stream }) => sum + stream.bytesRead, 0);
  await Promise.all(floods.map(({ socket }) => new Promise((written) => socket.write(flood, written))));
  const before = read();
  await expectServed(beside);
  // All of it is 6 MB, which used to be read in one round.
  expect(read() - before).toBeLessThan(2_000_000);
  for (const { stream } of floods) stream.destroy();
  await Promise.all([flooded.close(), beside.close()]);
});

/** The descriptors of this process that a thread waits with or is woken by. */
const pollDescriptors = () =>
  [...openDescriptors()].filter(([, target]) => /\[event(?:fd|poll)\]$/.test(target));
