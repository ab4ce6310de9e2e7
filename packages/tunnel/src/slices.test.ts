import { hash } from 'node:crypto';
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listen } from '../../../tests/fixtures/network/listen.ts';
import { watchLeaks } from '../../../tests/fixtures/suite/leaks.ts';
import { readBody } from './http/http-body.ts';
import { serveHttp } from './serve-http.ts';
import { Connection } from './sockets/connection.ts';

watchLeaks();

let server: net.Server;
let near: Connection;
let far: Socket;

beforeEach(async () => {
  server = net.createServer({ allowHalfOpen: true });
  await listen(server);
  const accepted = once(server, 'connection');
  far = net.connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  far.on('error', () => {}).resume();
  near = new Connection((await accepted)[0]);
});
afterEach(async () => {
  near.destroy();
  far.destroy();
  server.close();
  await once(server, 'close');
});

/** Has bytes wait to be read, as many as ever do. */
async function arrived(text: string): Promise<void> {
  far.write(text);
  await expect.poll(() => near.unreadBytes).toBe(text.length);
}

/** How often the event loop goes on to others while something is done. */
async function roundsDuring(work: () => Promise<void>): Promise<number> {
  let rounds = 0;
  let next: NodeJS.Immediate;
  const count = () => {
    rounds += 1;
    next = setImmediate(count);
  };
  next = setImmediate(count);
  await work();
  clearImmediate(next);
  return rounds;
}

const units = 2000;
const bytes = Buffer.alloc(16 * 1024);
const someWork = () => hash('sha256', bytes);

test('others are served between the chunks of a body', async () => {
  await arrived(`${'1\r\nx\r\n'.repeat(units)}0\r\n\r\n`);
  let chunks = 0;
  const rounds = await roundsDuring(() =>
    readBody(near, { kind: 'chunked' }, async () => {
      chunks += 1;
      someWork();
    }),
  );
  expect(chunks).toBe(units);
  expect(rounds).toBeGreaterThan(5);
});

test('others are served between requests that were sent ahead', async () => {
  await arrived('GET / HTTP/1.1\r\n\r\n'.repeat(units));
  let requests = 0;
  const handler = {
    onConnect: async () => {},
    onRequest: async () => {
      requests += 1;
      someWork();
      return requests < units;
    },
  };
  const limits = { headMs: 60_000, idleMs: 60_000, maxHeadBytes: 1000 };
  const rounds = await roundsDuring(() => serveHttp(near, handler, limits));
  expect(requests).toBe(units);
  expect(rounds).toBeGreaterThan(5);
});
