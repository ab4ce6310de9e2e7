import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGatewayOn, type TestAccount, type TestGateway } from '../../fixtures/gateway/gateway.ts';
import { type ScratchDirectory, scratchDirectory } from '../../fixtures/process/scratch-directory.ts';
import { madeUpChunk, madeUpPicture } from '../../fixtures/recordings/recording-chunks.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

/** Readers that do not read, beside those that do. */

watchLeaks({ wholeFile: true });

const { signal } = new AbortController();

let directory: ScratchDirectory;
let gateway: TestGateway;
let account: TestAccount;
let id: string;
let token: string;

beforeAll(async () => {
  directory = await scratchDirectory('fair-reads');
  gateway = await startGatewayOn('sqlite', {
    // Long enough for many requests in between, and too short to wait for.
    readStallMs: 3000,
    recordings: {
      sessionMaxBytes: 10 ** 8,
      accountMaxBytes: 10 ** 9,
      keepMs: 86_400_000,
      location: { kind: 'file', directory: join(directory.path, 'kept') },
    },
  });
  account = await gateway.account();
  id = await recorded(account);
  token = await share(account, id);
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

/** A recording of 24 MiB: more than the kernel holds for a client that does not read. */
async function recorded(by: TestAccount): Promise<string> {
  const made: string = (await by.create({ record: true })).json.browserId;
  const pictures = Array.from({ length: 6 }, (_, i) => madeUpPicture(500_000, i));
  for (let index = 0; index < 8; index++)
    await gateway.running.recordingSink.append(madeUpChunk(made, index, { pictures }), signal);
  await by.close(made);
  return made;
}

async function share(by: TestAccount, sessionId: string): Promise<string> {
  const { json } = await by.post(`/api/browser/${sessionId}/recording/share`, { hours: 1 });
  return new URL(json.url).hash.slice('#token='.length);
}

/** Asks, and reads nothing of the answer until it is resumed. */
function ask(path: string, header: string): Socket {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  socket.pause();
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${header}\r\n\r\n`);
  return socket;
}

const askForExport = (by = account) =>
  ask(`/api/browser/${id}/recording/export?format=ndjson`, `x-api-key: ${by.key}`);
const askByLink = () => ask('/dashboard/api/shared-recording/pictures/0/0', `x-recording-token: ${token}`);
const reads = () => gateway.running.gateway.reads;
const held = (count: number) => expect.poll(() => reads().held, { timeout: 20_000 }).toBe(count);
const readPicture = (by: TestAccount, of: string) => by.get(`/api/browser/${of}/recording/pictures/0/0`);

test('clients that do not read have the slots of their account, and no more memory than these', async () => {
  const before = process.memoryUsage();
  const clients = Array.from({ length: 200 }, () => askForExport());
  await held(8);
  const other = await gateway.account();
  const own = await recorded(other);
  for (let round = 0; round < 20; round++) {
    expect((await readPicture(other, own)).status).toBe(200);
    expect(reads().held).toBeLessThanOrEqual(9);
  }
  const { arrayBuffers } = process.memoryUsage();
  // Eight readers with a chunk of three megabytes each, in base64 too.
  expect(arrayBuffers - before.arrayBuffers).toBeLessThan(150 * 2 ** 20);
  for (const client of clients) client.destroy();
  await held(0);
  expect((await readPicture(account, id)).status).toBe(200);
});

test('a client that reads nothing is cut off, one that reads slowly is not, and the slots come back', {
  tags: 'slow',
}, async () => {
  const stuck = askForExport();
  const slow = askForExport();
  await held(2);
  let bytes = 0;
  slow.on('data', (part: Buffer) => {
    bytes += part.length;
    slow.pause();
    // Far more often than a client is cut off for reading nothing, and too rarely to have all of it by then.
    setTimeout(() => slow.resume(), 50);
  });
  slow.resume();
  // Cut off means: what the kernel has can still be read, and then the connection ends before the answer does.
  await held(1);
  stuck.resume();
  let got = 0;
  stuck.on('data', (part: Buffer) => {
    got += part.length;
  });
  await once(stuck, 'close');
  slow.removeAllListeners('data').on('data', (part: Buffer) => {
    bytes += part.length;
  });
  slow.resume();
  await held(0);
  slow.destroy();
  expect(got).toBeLessThan(bytes);
  expect(bytes).toBeGreaterThan(24 * 500_000);
});

test('whoever has a link has the slots of that link, and leaves those of the account alone', async () => {
  const clients = Array.from({ length: 100 }, () =>
    ask('/dashboard/api/shared-recording/events?from=0&to=7', `x-recording-token: ${token}`),
  );
  const own = Array.from({ length: 20 }, () => readPicture(account, id));
  for (const { status } of await Promise.all(own)) expect(status).toBe(200);
  for (const client of clients) client.destroy();
  await held(0);
  const one = askByLink();
  one.resume();
  await once(one, 'data');
  one.destroy();
});

test('who holds all slots of its own, and has as many waiting, is told so with the time to wait', async () => {
  const clients = Array.from({ length: 8 + 32 + 1 }, () => askForExport());
  // Only the one that is refused gets an answer: the others have slots and are not read, or wait for one.
  const refused = await Promise.race(clients.map(refusal));
  expect(refused).toMatch(/^HTTP\/1.1 429 /);
  expect(refused).toMatch(/\r\nretry-after: 5\r\n/);
  expect(refused).toContain('"code":"TOO_MANY_READS"');
  for (const client of clients) client.destroy();
  await held(0);
  expect((await account.get(`/api/browser/${id}/recording`)).json.chunks).toHaveLength(8);
});

/** Resolves to the answer of a client that is refused; never, for one that gets the file. */
async function refusal(socket: Socket): Promise<string> {
  await once(socket, 'readable');
  const text = String(socket.read());
  return text.startsWith('HTTP/1.1 200 ') ? new Promise(() => {}) : text;
}
