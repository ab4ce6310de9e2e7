import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { BrowserWork } from '../chromium/browser-work.ts';
import { ByteBudget, newHeldBytes } from '../memory/byte-budget.ts';
import { Viewer } from './viewer.ts';

watchLeaks();

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A display that does what a test likes, and a server whose WebSockets look at it. */
async function start(onViewer: (socket: Socket) => void, limitBytes = 2 ** 28) {
  const displays = createServer(onViewer).listen(0, '127.0.0.1');
  await once(displays, 'listening');
  const hostSide: Socket[] = [];
  const display = {
    connect() {
      const socket = connect((displays.address() as AddressInfo).port, '127.0.0.1');
      hostSide.push(socket);
      return socket;
    },
  };
  const budget = new ByteBudget(limitBytes, newHeldBytes(), 'host');
  const viewer = new Viewer(display, budget, new BrowserWork());
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (webSocket) => viewer.connect(webSocket, { viewOnly: false }));
  await once(server, 'listening');
  const viewers: WebSocket[] = [];
  cleanups.push(async () => {
    for (const socket of viewers) socket.terminate();
    server.close();
    displays.close();
    await Promise.all([once(server, 'close'), once(displays, 'close')]);
  });
  return {
    viewer,
    budget,
    hostSide,
    async view(): Promise<WebSocket> {
      const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
      viewers.push(socket);
      socket.on('error', () => {});
      await once(socket, 'open');
      return socket;
    },
  };
}

test('a viewer that does not read holds its display up, and gets all of it when it does', async () => {
  const total = 64 * 2 ** 20;
  const display = Promise.withResolvers<Socket>();
  const { view, hostSide } = await start((socket) => {
    socket.on('error', () => {});
    socket.write(Buffer.alloc(total));
    display.resolve(socket);
  });
  const slow = await view();
  slow.pause();
  await display.promise;
  // Until nothing moves any more: the kernel's buffers and the host's are full.
  let last = -1;
  await expect
    .poll(
      () => {
        const bytesRead = hostSide[0]?.bytesRead ?? 0;
        const still = bytesRead > 0 && bytesRead === last;
        last = bytesRead;
        return still;
      },
      { interval: 200 },
    )
    .toBe(true);
  expect(last).toBeLessThan(16 * 2 ** 20);
  let received = 0;
  const done = new Promise<void>((resolve) => {
    slow.on('message', (data: Buffer) => {
      received += data.length;
      if (received === total) resolve();
    });
  });
  slow.resume();
  await done;
});

test('only so many look at one session; the next is told so', async () => {
  const { view } = await start((socket) => socket.on('error', () => {}));
  for (let count = 0; count < 16; count++) await view();
  const late = await view();
  const [code, reason] = await once(late, 'close');
  expect([code, String(reason)]).toEqual([1013, 'too many viewers']);
});

test('a display that hangs up while its session goes on ends the view, to be opened again', async () => {
  const { view } = await start((socket) => socket.destroy());
  const [code] = await once(await view(), 'close');
  expect(code).toBe(1011);
});

test('a session that ends has the last word, though its display went first', async () => {
  const { view, viewer, hostSide } = await start((socket) => socket.destroy());
  const looking = await view();
  const closed = once(looking, 'close');
  await expect.poll(() => hostSide[0]?.destroyed).toBe(true);
  await viewer.close(4002, 'DEAD');
  const [code, reason] = await closed;
  expect([code, String(reason)]).toEqual([4002, 'DEAD']);
  const [lateCode] = await once(await view(), 'close');
  expect(lateCode).toBe(4002);
});

test('viewers have a part of the session’s buffers, and give it back', async () => {
  const { view, budget } = await start((socket) => void socket.on('error', () => {}), 10 * 2 ** 20);
  const [first] = [await view(), await view()];
  const third = await view();
  const [code, reason] = await once(third, 'close');
  expect([code, String(reason)]).toEqual([1009, expect.stringContaining('buffers are full')]);
  first.close();
  await once(first, 'close');
  await expect.poll(() => budget.heldBytes).toBe(4 * 2 ** 20);
  const fourth = await view();
  expect(fourth.readyState).toBe(fourth.OPEN);
});
