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
  const isSecure = proxy.scheme === 'https';
  const certificates = isSecure ? certificatesOf(proxy) : undefined;
  const socket = connectSocket({ host: address, port: proxy.port });
  track(socket);
  await connected(socket, signal);
  return isSecure ? await secure(socket, proxy.host, signal, certificates) : socket;
}

/** Reading a bundle takes milliseconds: once for a proxy, not for each of its connections. */
const knownCertificates = new WeakMap<UpstreamProxy, tls.SecureContext>();

/** The authorities that a proxy's certificate may be from, and what it is shown of ours. Undefined: the usual ones. */
function certificatesOf(proxy: UpstreamProxy): tls.SecureContext | undefined {
  const { ca, clientCertificate } = proxy;
  if (ca === undefined && !clientCertificate) return undefined;
  const known = knownCertificates.get(proxy);
  if (known) return known;
  const shown = clientCertificate && { cert: clientCertificate.certificate, key: clientCertificate.key };
  try {
    const read = tls.createSecureContext({ ...(ca !== undefined && { ca }), ...shown });
    knownCertificates.set(proxy, read);
    return read;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UpstreamProxyError(`was not asked: its certificates cannot be read (${code ?? message})`, {
      cause: error,
      fault: 'tls',
    });
  }
}

/** Starts TLS. Checks the certificate against the name in the URL, not the address. */
export async function secure(
  socket: net.Socket,
  host: string,
  signal: AbortSignal,
  secureContext?: tls.SecureContext,
): Promise<tls.TLSSocket> {
  const secured = own(
    tls.connect({
      ...(secureContext && { secureContext }),
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

function isNetworkError(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall !== undefined;
}

export function destroyOnAbort(socket: net.Socket, signal: AbortSignal): Disposable {
  const destroy = () => socket.destroy(signal.reason);
  if (signal.aborted) destroy();
  signal.addEventListener('abort', destroy, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', destroy) };
}
