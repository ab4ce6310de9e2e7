import net from 'node:net';
import type { Connection } from './sockets/connection.ts';
import type { Target } from './target.ts';
import { credentialsRefused, UpstreamProxyError } from './upstream-proxy-error.ts';

const version = 5;
const method = { none: 0, password: 2 } as const;
/** RFC 1928, 6: its own rules are against it. All other failures are the target's. */
const notAllowed = 2;
const addressType = { ipv4: 1, name: 3, ipv6: 4 } as const;

/** Greeting and authentication: RFC 1928, 3 and RFC 1929. */
export async function authenticate(
  connection: Connection,
  credentials: { username?: string; password?: string },
): Promise<void> {
  const { username, password } = credentials;
  const withPassword = username !== undefined || password !== undefined;
  await connection.write(
    Buffer.from(withPassword ? [version, 2, method.none, method.password] : [version, 1, method.none]),
  );
  const [answered, chosen] = await connection.readExactly(2);
  if (answered !== version) throw notSocks();
  if (chosen === method.none) return;
  if (chosen !== method.password || !withPassword) throw credentialsRefused();
  await connection.write(
    Buffer.concat([Buffer.from([1]), prefixed(username ?? ''), prefixed(password ?? '')]),
  );
  const [, status] = await connection.readExactly(2);
  if (status !== 0) throw credentialsRefused();
}

/** Asks for a connection to the target: RFC 1928, 4 to 6. */
export async function requestConnection(connection: Connection, { host, port }: Target): Promise<void> {
  const portBytes = Buffer.from([port >> 8, port & 0xff]);
  await connection.write(Buffer.concat([Buffer.from([version, 1, 0]), encodeAddress(host), portBytes]));
  const [answered, status, , type] = await connection.readExactly(4);
  if (answered !== version) throw notSocks();
  if (status !== 0) {
    throw new UpstreamProxyError(`could not reach the target (SOCKS status ${status})`, {
      broke: 'reset',
      ...(status === notAllowed && { fault: 'refused' }),
    });
  }
  await connection.readExactly((await boundAddressLength(connection, type)) + 2);
}

async function boundAddressLength(connection: Connection, type: number | undefined): Promise<number> {
  if (type === addressType.ipv4) return 4;
  if (type === addressType.ipv6) return 16;
  if (type === addressType.name) return (await connection.readExactly(1))[0] ?? 0;
  throw notSocks();
}

function encodeAddress(host: string): Buffer {
  if (net.isIPv4(host)) return Buffer.from([addressType.ipv4, ...host.split('.').map(Number)]);
  if (net.isIPv6(host)) return Buffer.from([addressType.ipv6, ...ipv6Bytes(host)]);
  return Buffer.concat([Buffer.from([addressType.name]), prefixed(host)]);
}

/** The URL parser writes an IPv6 literal in hexadecimal groups, with at most one `::`. */
function ipv6Bytes(host: string): number[] {
  const groups = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [head = '', tail] = new URL(`http://[${host}]`).hostname.slice(1, -1).split('::');
  const before = groups(head);
  const after = groups(tail ?? '');
  const zeros = new Array<number>(8 - before.length - after.length).fill(0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]);
}

function prefixed(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 255)
    throw new UpstreamProxyError('cannot be told a name or credentials of over 255 bytes');
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

const notSocks = () => new UpstreamProxyError('does not speak SOCKS5', { broke: 'closed', fault: 'broke' });
