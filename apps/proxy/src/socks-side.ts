import type { Socket } from 'node:net';
import { readBytes } from '@turnpike/tunnel/handshake';
import { join } from '@turnpike/tunnel/join';
import type { Target } from '@turnpike/tunnel/target';
import type { Admission, Credentials } from './admission.ts';
import type { MeteredConnection } from './meter.ts';
import type { ProxyMetrics } from './proxy-metrics.ts';
import { Refusal } from './refusal.ts';

const version = 5;
const passwordMethod = 2;
const noMethod = 0xff;
const reply = { succeeded: 0, failed: 1, commandNotSupported: 7, addressNotSupported: 8 } as const;
const handshakeTimeoutMs = 15_000;

/** SOCKS5 with user name and password (RFC 1928, RFC 1929); CONNECT only. */
export async function serveSocks(
  socket: Socket,
  connection: MeteredConnection,
  admission: Admission,
  metrics: ProxyMetrics,
): Promise<void> {
  socket.setTimeout(handshakeTimeoutMs, () => socket.destroy());
  try {
    const credentials = await authenticate(socket);
    const route = await admission.admit(credentials, connection).catch(async (error) => {
      socket.end(Buffer.from([1, 1]));
      throw error;
    });
    socket.write(Buffer.from([1, 0]));
    const target = await readRequest(socket);
    const upstream = await route.tunnel(target).catch((error) => {
      answer(socket, error instanceof Refusal ? error.socksReply : reply.failed);
      throw error;
    });
    socket.setTimeout(0);
    answer(socket, reply.succeeded);
    join(socket, upstream);
    metrics.request('socks', 'carried');
  } catch (error) {
    metrics.request('socks', error instanceof Refusal ? error.status : 502);
    socket.destroySoon();
  }
}

async function authenticate(socket: Socket): Promise<Credentials> {
  const [, methodCount = 0] = await readBytes(socket, 2);
  const methods = await readBytes(socket, methodCount);
  if (!methods.includes(passwordMethod)) {
    socket.end(Buffer.from([version, noMethod]));
    throw new Refusal(407, 'the proxy needs a user name and a password');
  }
  socket.write(Buffer.from([version, passwordMethod]));
  await readBytes(socket, 1);
  return { user: await readText(socket), password: await readText(socket) };
}

async function readText(socket: Socket): Promise<string> {
  const [length = 0] = await readBytes(socket, 1);
  return length === 0 ? '' : (await readBytes(socket, length)).toString();
}

async function readRequest(socket: Socket): Promise<Target> {
  const [, command, , type] = await readBytes(socket, 4);
  const host = await readAddress(socket, type);
  const port = (await readBytes(socket, 2)).readUInt16BE();
  if (host === undefined) return refuse(socket, reply.addressNotSupported);
  if (command !== 1) return refuse(socket, reply.commandNotSupported);
  return { host, port };
}

function refuse(socket: Socket, code: number): never {
  answer(socket, code);
  throw new Refusal(400, 'not supported');
}

async function readAddress(socket: Socket, type: number | undefined): Promise<string | undefined> {
  if (type === 1) return (await readBytes(socket, 4)).join('.');
  if (type === 3) return readText(socket);
  if (type !== 4) return undefined;
  const bytes = await readBytes(socket, 16);
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16));
  return groups.join(':');
}

function answer(socket: Socket, code: number): void {
  socket.write(Buffer.from([version, code, 0, 1, 0, 0, 0, 0, 0, 0]));
}
