import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { makeCertificates } from '../../../../tests/fixtures/network/certificates.ts';
import { scratchDirectory } from '../../../../tests/fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { KeepAlive } from './keep-alive.ts';

watchLeaks();

const intervalMs = 20;

interface Watched {
  client: WebSocket;
  /** The server's side of it. */
  side: WebSocket;
  pings(): number;
}

/** A server that watches its clients. */
class Watch implements AsyncDisposable {
  readonly #server: Server;
  readonly #webSockets: WebSocketServer;

  constructor(server: Server = createServer()) {
    this.#server = server.listen(0, 'localhost');
    this.#webSockets = new WebSocketServer({ server });
    const keepAlive = new KeepAlive(intervalMs);
    this.#webSockets.on('connection', (side, { socket }) => keepAlive.watch(side, socket));
  }

  async join(options: WebSocket.ClientOptions = {}): Promise<Watched> {
    if (!this.#server.listening) await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    const scheme = this.#server instanceof https.Server ? 'wss' : 'ws';
    const client = new WebSocket(`${scheme}://localhost:${port}`, options);
    let pings = 0;
    client.on('ping', () => pings++);
    const connected = once(this.#webSockets, 'connection') as Promise<[WebSocket]>;
    const [[side]] = await Promise.all([connected, once(client, 'open')]);
    return { client, side, pings: () => pings };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const side of this.#webSockets.clients) side.terminate();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

it('pings a client that says nothing, and keeps it as long as it answers', async () => {
  await using watch = new Watch();
  const { side, pings } = await watch.join();
  await expect.poll(pings).toBeGreaterThan(8);
  expect(side.readyState).toBe(WebSocket.OPEN);
});

it('does so over TLS', async () => {
  await using directory = await scratchDirectory('keep-alive');
  const files = await makeCertificates(directory.path);
  const [cert, key, ca] = await Promise.all(
    [files.certFile, files.keyFile, files.caFile].map((file) => readFile(file)),
  );
  await using watch = new Watch(https.createServer({ cert, key }));
  const { side, pings } = await watch.join({ ca });
  await expect.poll(pings).toBeGreaterThan(8);
  expect(side.readyState).toBe(WebSocket.OPEN);
});

it('drops a client that answers nothing', async () => {
  await using watch = new Watch();
  const { side, pings } = await watch.join({ autoPong: false });
  const [code] = await once(side, 'close');
  expect([code, pings()]).toEqual([1006, 4]);
});

it('does not hold its silence against a client that is not listened to', async () => {
  await using watch = new Watch();
  const paused = await watch.join();
  const other = await watch.join();
  paused.side.pause();
  const seen = paused.pings();
  await expect.poll(other.pings).toBeGreaterThan(8);
  expect(paused.pings()).toBeLessThanOrEqual(seen + 1);
  expect(paused.side.readyState).toBe(WebSocket.OPEN);
  paused.side.resume();
});
