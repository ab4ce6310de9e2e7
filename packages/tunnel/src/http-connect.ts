import type { UpstreamProxy } from '@turnpike/contract/host';
import { formatHead } from './http/http-head.ts';
import { readResponseHead } from './read-head.ts';
import type { Connection } from './sockets/connection.ts';
import { formatTarget, type Target } from './target.ts';
import { credentialsRefused } from './upstream-proxy-error.ts';

/** Asks an HTTP proxy for a tunnel (RFC 9110, 9.3.6) and returns the status of its answer. */
export async function requestTunnel(
  connection: Connection,
  proxy: UpstreamProxy,
  target: Target,
): Promise<number> {
  const authority = formatTarget(target);
  return ask(connection, proxy, `CONNECT ${authority} HTTP/1.1`, authority);
}

/** Asks an HTTP proxy for a page by plain HTTP and returns the status of its answer. */
export async function requestPage(
  connection: Connection,
  proxy: UpstreamProxy,
  host: string,
): Promise<number> {
  return ask(connection, proxy, `GET http://${host}/ HTTP/1.1`, host);
}

async function ask(
  connection: Connection,
  proxy: UpstreamProxy,
  requestLine: string,
  host: string,
): Promise<number> {
  await connection.write(formatHead(requestLine, ['Host', host, ...credentialHeaders(proxy)]));
  const { status } = await readResponseHead(connection);
  if (status === 401 || status === 407) throw credentialsRefused();
  return status;
}

export function credentialHeaders({ username, password }: UpstreamProxy): string[] {
  if (username === undefined && password === undefined) return [];
  const credentials = Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64');
  return ['Proxy-Authorization', `Basic ${credentials}`];
}
