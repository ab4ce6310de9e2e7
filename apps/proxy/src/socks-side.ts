import type { Connection } from '@turnpike/tunnel/sockets/connection';
import { ConnectionClosed } from '@turnpike/tunnel/sockets/owned-socket';
import type { Target } from '@turnpike/tunnel/target';
import type { Credentials } from './admission.ts';
import type { SideParts } from './http-side.ts';
import type { MeteredConnection } from './meter.ts';
import { Refusal } from './refusal.ts';
import { asRefusal, type RouteOut } from './route.ts';

const version = 5;
const passwordMethod = 2;
const noMethod = 0xff;
const reply = { succeeded: 0, commandNotSupported: 7, addressNotSupported: 8 } as const;

/** Serves SOCKS5 with user name and password (RFC 1928, RFC 1929), CONNECT only. */
export async function serveSocksClient(client: MeteredConnection, parts: SideParts): Promise<void> {
  const { connection } = client;
  try {
    const { route, target } = await handshake(client, parts);
    const upstream = await route.tunnel(target).catch(async (error) => {
      const refusal = asRefusal(error);
      await answer(connection, refusal.socksReply);
      throw refusal;
    });
    parts.metrics.request('socks', 'carried');
    client.becomeTunnel();
    void answer(connection, reply.succeeded).catch(() => {}); // `join` handles a closed connection.
    connection.join(upstream);
  } catch (error) {
    if (error instanceof ConnectionClosed) throw error;
    parts.metrics.request('socks', asRefusal(error).status);
    connection.close();
    if (!(error instanceof Refusal)) throw error;
  }
}

/** Does the whole handshake within one deadline. */
async function handshake(
  client: MeteredConnection,
  { admission, handshakeMs }: SideParts,
): Promise<{ route: RouteOut; target: Target }> {
  const { connection } = client;
  using _deadline = connection.deadline(handshakeMs);
  const credentials = await authenticate(connection);
  const wait = connection.slice.next();
  if (wait) await wait;
  const { route } = await admission.admit(credentials, client).catch(async (error) => {
    await connection.write(Buffer.from([1, 1]));
    throw asRefusal(error);
  });
  await connection.write(Buffer.from([1, 0]));
  return { route, target: await readRequest(connection) };
}

async function authenticate(connection: Connection): Promise<Credentials> {
  const [, methodCount = 0] = await connection.readExactly(2);
  const methods = await connection.readExactly(methodCount);
  if (!methods.includes(passwordMethod)) {
    await connection.write(Buffer.from([version, noMethod]));
    throw new Refusal(407, 'the proxy needs a user name and a password');
  }
  await connection.write(Buffer.from([version, passwordMethod]));
  await connection.readExactly(1);
  return { user: await readText(connection), password: await readText(connection) };
}

async function readText(connection: Connection): Promise<string> {
  const [length = 0] = await connection.readExactly(1);
  return (await connection.readExactly(length)).toString();
}

async function readRequest(connection: Connection): Promise<Target> {
  const [, command, , type] = await connection.readExactly(4);
  const host = await readAddress(connection, type);
  if (host === undefined) return refuse(connection, reply.addressNotSupported);
  const port = (await connection.readExactly(2)).readUInt16BE();
  if (command !== 1) return refuse(connection, reply.commandNotSupported);
  return { host, port };
}

async function refuse(connection: Connection, code: number): Promise<never> {
  await answer(connection, code);
  throw new Refusal(400, 'not supported');
}

async function readAddress(connection: Connection, type: number | undefined): Promise<string | undefined> {
  if (type === 1) return (await connection.readExactly(4)).join('.');
  if (type === 3) return readText(connection);
  if (type !== 4) return undefined;
  const bytes = await connection.readExactly(16);
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16));
  return groups.join(':');
}

function answer(connection: Connection, code: number): Promise<void> {
  return connection.write(Buffer.from([version, code, 0, 1, 0, 0, 0, 0, 0, 0]));
}
