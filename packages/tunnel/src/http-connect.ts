import type { Socket } from 'node:net';
import type { UpstreamProxy } from '@turnpike/contract/host';
import { readHead } from './handshake.ts';
import { ProxyError } from './proxy-error.ts';
import { formatTarget, type Target } from './target.ts';

/** Asks an HTTP proxy for a tunnel (RFC 9110, 9.3.6) and returns the status of its answer. */
export async function requestTunnel(socket: Socket, proxy: UpstreamProxy, target: Target): Promise<number> {
  const authority = formatTarget(target);
  return ask(socket, proxy, `CONNECT ${authority} HTTP/1.1`, authority);
}

/** Asks an HTTP proxy for a page by plain HTTP and returns the status of its answer. */
export async function requestPage(socket: Socket, proxy: UpstreamProxy, host: string): Promise<number> {
  return ask(socket, proxy, `GET http://${host}/ HTTP/1.1`, host);
}

async function ask(socket: Socket, proxy: UpstreamProxy, requestLine: string, host: string): Promise<number> {
  const credentials = basicCredentials(proxy);
  socket.write(
    [
      requestLine,
      `Host: ${host}`,
      ...(credentials === undefined ? [] : [`Proxy-Authorization: ${credentials}`]),
      '\r\n',
    ].join('\r\n'),
  );
  const head = await readHead(socket);
  const status = /^HTTP\/1\.\d (\d{3})(?: |\r\n)/.exec(head)?.[1];
  if (status === undefined) throw new ProxyError('does not speak HTTP');
  if (status === '401' || status === '407') throw new ProxyError('did not accept the credentials');
  return Number(status);
}

export function basicCredentials({ username, password }: UpstreamProxy): string | undefined {
  if (username === undefined && password === undefined) return undefined;
  return `Basic ${Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64')}`;
}
