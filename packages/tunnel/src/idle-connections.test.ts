import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RawServer, rawServer } from '../../../tests/fixtures/network/raw-sockets.ts';
import { watchLeaks } from '../../../tests/fixtures/suite/leaks.ts';
import { IdleConnections } from './idle-connections.ts';
import { Connection } from './sockets/connection.ts';

watchLeaks();

let target: RawServer;
beforeEach(async () => {
  target = await rawServer((socket) => socket.on('end', () => socket.end()).resume());
});
afterEach(() => target[Symbol.asyncDispose]());

async function open(): Promise<Connection> {
  const socket = connect({ port: target.port, host: '127.0.0.1', allowHalfOpen: true });
  const connection = new Connection(socket);
  await once(socket, 'connect');
  await expect.poll(() => target.sockets.size).toBeGreaterThan(0);
  return connection;
}

const closed = (connection: Connection) =>
  new Promise<void>((resolve) => connection.onClose(() => resolve()));

test('a connection is for its owner and its key, and for one at a time', async () => {
  const idle = new IdleConnections();
  const one = await open();
  idle.put('ann', 'a.test:80', one);
  expect(idle.owners).toEqual(['ann']);
  expect(idle.take('bob', 'a.test:80')).toBeUndefined();
  expect(idle.take('ann', 'b.test:80')).toBeUndefined();
  expect(idle.take('ann', 'a.test:80')).toBe(one);
  expect(idle.take('ann', 'a.test:80')).toBeUndefined();
  expect([idle.count, idle.owners]).toEqual([0, []]);
  idle.put('ann', 'a.test:80', one);
  idle.close();
  expect(one.isOpen).toBe(false);
});

test('the one that was used last is taken first', async () => {
  const idle = new IdleConnections();
  const [one, two] = [await open(), await open()];
  idle.put('ann', 'k', one);
  idle.put('ann', 'k', two);
  expect(idle.take('ann', 'k')).toBe(two);
  idle.close();
  two.destroy();
});

test.each([
  ['with the same key', { perKey: 1 }, ['ann', 'k']],
  ['of an owner', { perOwner: 1 }, ['ann', 'other']],
  ['in all', { inAll: 1 }, ['bob', 'k']],
] as const)(
  'past the limit of connections %s another one is destroyed',
  async (_name, limits, [owner, key]) => {
    const idle = new IdleConnections(limits);
    const [one, two] = [await open(), await open()];
    idle.put('ann', 'k', one);
    idle.put(owner, key, two);
    expect([one.isOpen, two.isOpen, idle.count]).toEqual([true, false, 1]);
    expect(idle.take('ann', 'k')).toBe(one);
    idle.put('ann', 'k', one);
    expect(idle.count).toBe(1);
    idle.close();
  },
);

test.each([
  ['a byte', (far: { write(text: string): void }) => far.write('x')],
  ['an end', (far: { end(): void }) => far.end()],
  ['a reset', (far: { resetAndDestroy(): void }) => far.resetAndDestroy()],
])('one that receives %s is destroyed and taken by nobody', async (_name, send) => {
  const idle = new IdleConnections();
  const one = await open();
  idle.put('ann', 'k', one);
  const [far] = target.sockets;
  if (!far) throw new Error('not connected');
  send(far);
  await closed(one);
  expect([idle.count, idle.owners, idle.take('ann', 'k')]).toEqual([0, [], undefined]);
});

test('one that nobody takes in time is closed', async () => {
  const idle = new IdleConnections({ idleMs: 20 });
  const one = await open();
  idle.put('ann', 'k', one);
  await closed(one);
  expect(idle.count).toBe(0);
});

test('an owner’s connections are closed without those of others', async () => {
  const idle = new IdleConnections();
  const all = [await open(), await open(), await open()] as const;
  idle.put('ann', 'k', all[0]);
  idle.put('ann', 'other', all[1]);
  idle.put('bob', 'k', all[2]);
  idle.closeOwner('ann');
  expect(all.map(({ isOpen }) => isOpen)).toEqual([false, false, true]);
  expect(idle.owners).toEqual(['bob']);
  idle.close();
});

test('what is not quiet, and what comes after the end, is not kept', async () => {
  const idle = new IdleConnections();
  const unread = await open();
  const [far] = target.sockets;
  far?.write('x');
  await unread.peek();
  idle.put('ann', 'k', unread);
  expect([unread.isOpen, idle.count]).toEqual([false, 0]);
  idle.close();
  const late = await open();
  idle.put('ann', 'k', late);
  expect([late.isOpen, idle.count]).toEqual([false, 0]);
});
