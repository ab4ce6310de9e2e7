import { createHash, hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { Connection } from './connection.ts';
import { connectSocket } from './outgoing-socket.ts';
import { connected, own } from './owned-socket.ts';

watchLeaks();

const host = '127.0.0.1';
const data = randomBytes(24 * 2 ** 20);

/** A listener on a free port, and what ends it with its connections. */
async function listen(onConnection: (socket: net.Socket) => void) {
  const sockets = new Set<net.Socket>();
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(own(socket));
    onConnection(socket);
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Reads to the end, and lets others go first after some chunks, so that bytes have to wait on the way. */
async function readSlowly(socket: net.Socket): Promise<string> {
  const read = createHash('sha256');
  let chunks = 0;
  for await (const chunk of socket) {
    read.update(chunk);
    if (++chunks % 50 === 0) for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
  }
  return read.digest('hex');
}

test.each([
  ['a tunnel', (from: Connection, to: Connection) => void to.join(from)],
  [
    'a body of known length',
    async (from: Connection, to: Connection) => {
      expect(await from.passOn(to, data.length)).toBe(0);
      to.socket.end();
    },
  ],
])('a large transfer through %s arrives unchanged at a slow reader', async (_name, carry) => {
  await using source = await listen((socket) => socket.end(data));
  await using proxy = await listen(async (socket) => {
    const client = new Connection(socket);
    const from = await connected(connectSocket({ host, port: source.port }), new AbortController().signal);
    carry(new Connection(from), client);
  });
  const client = own(net.connect({ port: proxy.port, host }));
  expect(await readSlowly(client)).toBe(hash('sha256', data));
  client.destroy();
});

test('what is passed on is counted, and the rest is left to be read', async () => {
  await using source = await listen((socket) => socket.end(Buffer.concat([data, Buffer.from('the rest')])));
  await using sink = await listen((socket) => socket.resume());
  const { signal } = new AbortController();
  const from = new Connection(await connected(connectSocket({ host, port: source.port }), signal));
  const to = new Connection(await connected(connectSocket({ host, port: sink.port }), signal));
  expect(await from.passOn(to, data.length)).toBe(0);
  expect((await from.readExactly(4)).toString()).toBe('the ');
  expect(await from.passOn(to, 10)).toBe(6);
  await to.flushed();
  expect(to.socket.bytesWritten).toBe(data.length + 4);
  for (const { socket } of [from, to]) {
    socket.destroy();
    await once(socket, 'close');
  }
});

test('passing on ends with either side', async () => {
  await using source = await listen((socket) => socket.write('x'));
  await using sink = await listen((socket) => socket.once('data', () => socket.resetAndDestroy()));
  const { signal } = new AbortController();
  const from = new Connection(await connected(connectSocket({ host, port: source.port }), signal));
  const to = new Connection(await connected(connectSocket({ host, port: sink.port }), signal));
  await expect(from.passOn(to, 10)).rejects.toMatchObject({ name: 'ConnectionClosed' });
  from.destroy();
  await expect(from.passOn(to, 10)).rejects.toMatchObject({ name: 'ConnectionClosed' });
});
