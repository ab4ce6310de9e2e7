import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { UpstreamProxy } from '@turnpike/contract/host';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { maxMessageBytes } from '../switchboard/refusals.ts';
import { browserProcesses } from '../testing/browser-processes.ts';
import { Raw } from '../testing/raw-client.ts';
import {
  newRequest,
  type OpenedSession,
  startPageProxy,
  startTestHost,
  type TestHost,
} from '../testing/test-host.ts';

/** What a session may cost the host, and what its clients hear when they go past it. */

watchLeaks({ wholeFile: true });

const sessionBufferBytes = 128 * 2 ** 20;
const all = new AsyncDisposableStack();
let proxy: UpstreamProxy;
let running: TestHost;
let session: OpenedSession;
let bystander: Raw;

beforeAll(async () => {
  ({ proxy } = all.use(await startPageProxy()));
  running = all.use(await startTestHost({ sessionBufferBytes }));
  session = await running.open(newRequest(proxy, { lifetimeMs: 600_000 }));
  bystander = all.use(await Raw.connect(session.url));
});
afterAll(() => all.disposeAsync());

/** Whatever a client did, another of the same session goes on. */
async function expectOthersServed(): Promise<void> {
  expect(await bystander.call('Browser.getVersion')).toHaveProperty('result.product');
}

async function closing(socket: WebSocket): Promise<[code: number, reason: string]> {
  socket.on('error', () => {});
  const [code, reason] = await once(socket, 'close');
  return [code, String(reason)];
}

const httpUrl = () => session.url.replace('ws:', 'http:');

async function firstPage(): Promise<{ id: string; webSocketDebuggerUrl: string }> {
  const pages = (await (await fetch(`${httpUrl()}/json`)).json()) as never[];
  return pages[0] as never;
}

/** The largest first: a smaller one says what Chromium takes, and this what it does not. */
it('a message of 200 MB is refused with the limit, and one at the limit is answered', {
  tags: 'slow',
}, async () => {
  const large = await Raw.connect(session.url);
  const closed = closing(large.socket);
  large.socket.send(Buffer.alloc(200_000_000, 'x'), { binary: false });
  expect(await closed).toEqual([1009, expect.stringContaining(`${maxMessageBytes} bytes (100 MiB)`)]);
  await expectOthersServed();
  // To the connection's own session, whose id the host adds: then it is as large as the pipe takes it.
  await using page = await Raw.connect((await firstPage()).webSocketDebuggerUrl);
  const frame = `{"id":1,"method":"Runtime.evaluate","params":{"expression":"1","x":""}}`;
  const message = frame.replace('""', `"${'x'.repeat(maxMessageBytes - frame.length)}"`);
  expect(message.length).toBe(maxMessageBytes);
  const answered = page.next(({ id }) => id === 1);
  page.socket.send(message);
  expect(await answered).toHaveProperty('result.result.value', 1);
  await expectOthersServed();
});

it('a result that is larger than the session holds closes who asked for it, and says why', {
  tags: 'slow',
}, async () => {
  await using page = await Raw.connect((await firstPage()).webSocketDebuggerUrl);
  const closed = closing(page.socket);
  page.socket.send(
    JSON.stringify({
      id: 1,
      method: 'Runtime.evaluate',
      params: { expression: `'x'.repeat(150e6)`, returnByValue: true },
    }),
  );
  expect(await closed).toEqual([1009, expect.stringContaining('result is larger')]);
  await expectOthersServed();
});

/** A WebSocket without a library: it sends what it likes. */
async function rawSocket(key = 'dGhlIHNhbXBsZSBub25jZQ=='): Promise<{ socket: Socket; head: string }> {
  const { hostname, port, pathname } = new URL(session.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(
    [
      `GET ${pathname} HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${key}`,
      '\r\n',
    ].join('\r\n'),
  );
  const [head] = (await once(socket, 'data')) as [Buffer];
  return { socket, head: head.toString('latin1') };
}

it('a frame without end takes no memory of the host’s: its head is enough to refuse it', {
  tags: 'slow',
}, async () => {
  const { socket } = await rawSocket();
  const head = Buffer.alloc(14);
  head[0] = 0x81;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(1.2e9), 2);
  const before = process.memoryUsage.rss();
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.write(head);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect([answer[0], answer.readUInt16BE(2)]).toEqual([0x88, 1009]);
  const part = Buffer.alloc(2 ** 20);
  // It goes on all the same, until it is cut off.
  const more = () => {
    while (socket.writable && socket.write(part));
  };
  socket.on('drain', more);
  more();
  await ended;
  expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 2 ** 20);
  await expectOthersServed();
});

it('a zero byte in a message closes the client, and nothing of the message runs', async () => {
  await using hostile = await Raw.connect(session.url);
  const closed = closing(hostile.socket);
  hostile.socket.send('{"id":1,"method":"Browser.close"}\0{"id":2,"method":"Browser.getVersion"}');
  expect(await closed).toEqual([1007, expect.stringContaining('zero byte')]);
  await expectOthersServed();
});

it('parameters that are nested without end are answered, and hurt nobody', async () => {
  await using hostile = await Raw.connect(session.url);
  const nested = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
  for (const method of [
    'Browser.setDownloadBehavior',
    'Target.createTarget',
    'Browser.getVersion',
    'Page.enable',
  ]) {
    const answered = hostile.next(({ error }) => error !== undefined);
    hostile.socket.send(`{"id":1,"method":"${method}","params":{"behavior":"allow","a":${nested}}}`);
    expect(await answered).toMatchObject({ error: { message: 'JSON: stack limit exceeded' } });
  }
  await expectOthersServed();
});

it('a key that is no proper one is answered as Chromium does', async () => {
  const { socket, head } = await rawSocket('nil'); // go-rod's.
  expect(head).toMatch(/^HTTP\/1\.1 101 /);
  // SHA-1 of the key and the protocol's own GUID, RFC 6455, 4.2.2.
  expect(head).toContain('Sec-WebSocket-Accept: Q67D9eATKx531lK8F7u2rqQNnNI=');
  socket.destroy();
  await once(socket, 'close');
});

it('a session has no more connections than it may have', async () => {
  await using cleanup = new AsyncDisposableStack();
  let status: unknown;
  for (let i = 0; i < 128 && status === undefined; i++) {
    const client = cleanup.use(new Raw(session.url));
    const refused = once(client.socket, 'unexpected-response');
    status = await Promise.race([
      once(client.socket, 'open').then(() => undefined),
      refused.then(([, response]) => response.resume().statusCode),
    ]);
    client.socket.on('error', () => {});
    refused.catch(() => {});
  }
  expect(status).toBe(503);
});

it('a browser that is stopped lets nobody wait without end', { tags: 'slow' }, async () => {
  const others = browserProcesses();
  const stopped = await running.open(newRequest(proxy));
  const processes = browserProcesses().filter((pid) => !others.includes(pid));
  for (const pid of processes) process.kill(pid, 'SIGSTOP');
  const url = stopped.url.replace('ws:', 'http:');
  const [list, version, socket] = await Promise.all([
    fetch(`${url}/json/list`),
    fetch(`${url}/json/version`),
    once(new WebSocket(stopped.url), 'unexpected-response'),
  ]);
  expect([list.status, await list.text()]).toEqual([504, expect.stringContaining('did not answer in time')]);
  expect(version.status).toBe(200);
  expect(socket[1].statusCode).toBe(504);
  socket[1].resume();
  for (const pid of processes) process.kill(pid, 'SIGCONT');
  await running.host.close(stopped.sessionId);
});
