import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import net, { type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listen } from '../../../../tests/fixtures/network/listen.ts';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { Connection, runConnection, serveConnections } from './connection.ts';
import { ConnectionClosed, connected } from './owned-socket.ts';

watchLeaks();

let server: net.Server;
let near: Connection;
let far: Socket;

beforeEach(async () => {
  server = net.createServer({ allowHalfOpen: true });
  await listen(server);
  const accepted = once(server, 'connection');
  far = net.connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  far.on('error', () => {});
  near = new Connection((await accepted)[0]);
});
afterEach(async () => {
  near.destroy();
  far.destroy();
  server.close();
  await once(server, 'close');
});

describe('reading', () => {
  test('gives exactly what was asked for, and leaves the rest', async () => {
    far.write('hello world');
    expect((await near.readExactly(5)).toString()).toBe('hello');
    expect((await near.read())?.toString()).toBe(' world');
  });

  test('finds an ending across pieces of one byte', async () => {
    const reading = near.readThrough('head', 100);
    for (const byte of 'GET /\r\n\r\nrest') {
      far.write(byte);
      await new Promise(setImmediate);
    }
    expect((await reading)?.toString()).toBe('GET /\r\n\r\n');
    expect((await near.readExactly(4)).toString()).toBe('rest');
  });

  test('says when an ending does not come within a limit', async () => {
    far.write('x'.repeat(200));
    expect(await near.readThrough('line', 100)).toBe('too-long');
  });

  test('tells an end from a reset', async () => {
    far.end('bye');
    expect((await near.read())?.toString()).toBe('bye');
    expect(await near.read()).toBeUndefined();
    expect(near.isOpen).toBe(true);
    far.resetAndDestroy();
    await expect(
      near
        .write('x')
        .then(() => near.flushed())
        .then(() => near.readExactly(1)),
    ).rejects.toThrow(ConnectionClosed);
  });

  test('throws the reason when the connection breaks', async () => {
    const reading = near.read();
    far.resetAndDestroy();
    await expect(reading).rejects.toMatchObject({ name: 'ConnectionClosed', code: 'ECONNRESET' });
    await expect(near.write('x')).rejects.toThrow(ConnectionClosed);
  });

  test('an end that nobody reads is seen all the same', async () => {
    far.end();
    await expect.poll(() => near.isQuiet).toBe(false);
  });
});

test('a deadline ends the connection however busy it is, and not after it is disposed of', async () => {
  {
    using _deadline = near.deadline(20);
  }
  using _deadline = near.deadline(60);
  const busy = setInterval(() => far.write('x'), 5);
  await expect(near.readThrough('line', 1e6)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  clearInterval(busy);
});

test('a close lets the other side read the answer although it is still sending', async () => {
  far.write('x'.repeat(1_000_000));
  await near.peek();
  await near.write('the answer');
  near.close();
  let text = '';
  for await (const chunk of far) text += chunk;
  expect(text).toBe('the answer');
  far.end();
});

test('a join passes on what was sent, and the end, of a side that ended before', async () => {
  const accepted = once(server, 'connection');
  const second = net.connect({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    allowHalfOpen: true,
  });
  const other = new Connection((await accepted)[0]);
  far.end();
  await expect.poll(() => near.socket.readableEnded).toBe(true);
  near.join(other);
  second.end('an answer');
  for await (const chunk of second) expect(chunk.toString()).toBe('');
  let text = '';
  for await (const chunk of far) text += chunk;
  expect(text).toBe('an answer');
  await expect.poll(() => [near.isOpen, other.isOpen]).toEqual([false, false]);
});

describe('the boundary', () => {
  test.each([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', async () => Promise.reject(new Error('broken'))],
  ])('ends the connection of a handler that %s, and reports it', async (_name, serve) => {
    const failures: unknown[] = [];
    await runConnection(near, serve, (error) => failures.push(error));
    expect(failures).toEqual([new Error('broken')]);
    expect(near.isOpen).toBe(false);
  });

  test('reports nothing of a client that is simply gone', async () => {
    const failures: unknown[] = [];
    far.resetAndDestroy();
    await runConnection(
      near,
      async () => void (await near.readExactly(1)),
      (error) => failures.push(error),
    );
    expect(failures).toEqual([]);
  });

  test('survives a connection that cannot be accepted', () => {
    const failures: unknown[] = [];
    serveConnections(
      server,
      () => {},
      (error) => failures.push(error),
    );
    server.emit('error', new Error('EMFILE'));
    expect(failures).toHaveLength(1);
  });
});

test('a socket that does not connect in time is destroyed', async () => {
  const socket = new net.Socket();
  await expect(connected(socket, AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
  expect(socket.destroyed).toBe(true);
});

test('nobody else in the data path of the proxies attaches handlers to sockets', () => {
  const root = join(import.meta.dirname, '../../../..');
  const files = globSync('{apps/proxy/src,packages/tunnel/src,apps/host/src/forwarder}/**/*.ts', {
    cwd: root,
  });
  expect(files.length).toBeGreaterThan(20);
  const events = 'error|close|end|data|readable|drain|timeout|connection|connect|finish';
  const byHand = new RegExp(`\\.(on|once|addListener|prependListener)\\(\\s*'(${events})'`);
  const attaching = files.filter(
    (file) => !file.endsWith('.test.ts') && byHand.test(readFileSync(join(root, file), 'utf8')),
  );
  const owners = ['connection', 'end-socket', 'owned-socket'];
  expect(attaching.sort()).toEqual(owners.map((name) => `packages/tunnel/src/sockets/${name}.ts`));
});
