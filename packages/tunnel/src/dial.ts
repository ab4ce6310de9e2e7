import net from 'node:net';
import tls from 'node:tls';
import type { UpstreamProxy } from '@turnpike/contract/host';
import { within } from '@turnpike/process/within';
import { connectSocket } from './sockets/outgoing-socket.ts';
import { connected, onceClosed, own } from './sockets/owned-socket.ts';
import { describeFailure, UpstreamProxyError } from './upstream-proxy-error.ts';

export interface DialOptions {
  /** For the connection, TLS, and the caller's own handshake. */
  signal: AbortSignal;
  timeoutMs: number;
  /** Called with every new socket. */
  track(socket: net.Socket): void;
}

/**
 * Connects to the proxy, only at its pinned addresses, in their order. Each address gets an equal share of the time.
 */
export async function dial(proxy: UpstreamProxy, options: DialOptions): Promise<net.Socket> {
  let failure = new UpstreamProxyError(`name ${proxy.host} does not resolve`, {
    broke: 'closed',
    fault: 'unreachable',
  });
  const attemptMs = options.timeoutMs / Math.max(1, proxy.addresses.length);
  for (const address of proxy.addresses) {
    options.signal.throwIfAborted();
    using bounds = within(attemptMs, options.signal);
    try {
      return await dialAddress(proxy, address, bounds.signal, options.track);
    } catch (error) {
      options.signal.throwIfAborted();
      failure = describeFailure(error);
    }
  }
  throw failure;
}

async function dialAddress(
  proxy: UpstreamProxy,
  address: string,
  signal: AbortSignal,
  track: DialOptions['track'],
): Promise<net.Socket> {
  const socket = connectSocket({ host: address, port: proxy.port });
  track(socket);
  await connected(socket, signal);
  return proxy.scheme === 'https' ? await secure(socket, proxy.host, signal, certificatesOf(proxy)) : socket;
}

/** The authorities that a proxy's certificate may be from, and what it is shown of ours. */
function certificatesOf({ ca, clientCertificate }: UpstreamProxy): tls.SecureContextOptions {
  return {
    ...(ca !== undefined && { ca }),
    ...(clientCertificate && { cert: clientCertificate.certificate, key: clientCertificate.key }),
  };
}

/** Starts TLS. Checks the certificate against the name in the URL, not the address. */
export async function secure(
  socket: net.Socket,
  host: string,
  signal: AbortSignal,
  certificates: tls.SecureContextOptions = {},
): Promise<tls.TLSSocket> {
  const secured = own(
    startTls({
      ...certificates,
      socket,
      host,
      ...(net.isIP(host) ? {} : { servername: host }),
      ALPNProtocols: ['http/1.1'],
    }),
  );
  onceClosed(secured, () => socket.destroy());
  try {
    return await connected(secured, signal, 'secureConnect');
  } catch (error) {
    if (signal.aborted || isNetworkError(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new UpstreamProxyError(`failed the TLS handshake (${code})`, {
      cause: error,
      broke: 'closed',
      fault: 'tls',
    });
  }
}

/** Throws where a certificate or a key cannot be read. */
function startTls(options: tls.ConnectionOptions): tls.TLSSocket {
  try {
    return tls.connect(options);
  } catch (error) {
    options.socket?.destroy();
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UpstreamProxyError(`was not asked: its certificates cannot be read (${code ?? message})`, {
      cause: error,
      fault: 'tls',
    });
  }
}

function isNetworkError(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall !== undefined;
}

export function destroyOnAbort(socket: net.Socket, signal: AbortSignal): Disposable {
  const destroy = () => socket.destroy(signal.reason);
  if (signal.aborted) destroy();
  signal.addEventListener('abort', destroy, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', destroy) };
}
