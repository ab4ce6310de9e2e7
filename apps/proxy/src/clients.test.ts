import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { Connection } from '@turnpike/tunnel/sockets/connection';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchLeaks } from '../../../tests/fixtures/suite/leaks.ts';
import { Clients } from './clients.ts';
import { MeteredConnection } from './meter.ts';

watchLeaks();

let server: net.Server;
let opened: net.Socket[];

beforeEach(async () => {
  opened = [];
  server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  for (const socket of opened) socket.destroy();
  server.close();
  await once(server, 'close');
});

/** A client's connection that comes from an address. */
async function from(address: string): Promise<MeteredConnection> {
  const accepted = once(server, 'connection');
  const far = net.connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  const [near] = await accepted;
  opened.push(far, near);
  return Object.assign(new MeteredConnection(new Connection(near), () => {}), { address });
}

test('strangers of one address share a limit and their time, those of one /64 too', async () => {
  const clients = new Clients({ perAccount: 10, newPerAddress: 2 });
  const [first, second, third] = [
    await from('2001:db8::1'),
    await from('2001:db8::2'),
    await from('2001:db8::3'),
  ];
  expect([first, second, third].map((client) => clients.add(client))).toEqual([true, true, false]);
  expect(second.connection.slice).toBe(first.connection.slice);
  const other = await from('2001:db8:0:1::1');
  expect(clients.add(other)).toBe(true);
  expect(other.connection.slice).not.toBe(first.connection.slice);
});

test('connections of one account share their time, wherever they come from', async () => {
  const clients = new Clients({ perAccount: 10, newPerAddress: 2 });
  const [first, second] = [await from('192.0.2.1'), await from('192.0.2.2')];
  for (const client of [first, second]) {
    clients.add(client);
    clients.logIn(client, 'acc_1');
  }
  const stranger = await from('192.0.2.1');
  clients.add(stranger);
  expect(second.connection.slice).toBe(first.connection.slice);
  expect(stranger.connection.slice).not.toBe(first.connection.slice);
  clients.closeAccount('acc_1');
  await expect.poll(() => clients.accountIds).toEqual([]);
});
