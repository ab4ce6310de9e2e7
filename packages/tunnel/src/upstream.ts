import { lookup } from 'node:dns/promises';
import net, { type Socket } from 'node:net';
import type { ByteCounters, UpstreamProxy } from '@turnpike/contract/host';
import { isAllowedAddress } from '@turnpike/process/address-guard';
import { within } from '@turnpike/process/within';
import { ByteMeter } from './byte-meter.ts';
import { destroyOnAbort, dial } from './dial.ts';
import { requestPage, requestTunnel } from './http-connect.ts';
import { describeFailure, ProxyError } from './proxy-error.ts';
import { authenticate, requestConnection } from './socks5.ts';
import type { Target } from './target.ts';

export function isSocks({ scheme }: UpstreamProxy): boolean {
  return scheme === 'socks5' || scheme === 'socks5h';
}

/** RFC 6761: no name below `invalid` exists. */
const nowhere = 'turnpike-check.invalid';

/**
 * The customer's proxy for one session: every byte of the session goes through here and is counted, those of
 * the check included, which comes before there is a browser to use it.
 */
export class Upstream {
  readonly proxy: UpstreamProxy;
  readonly #timeoutMs: number;
  readonly #meter = new ByteMeter();
  readonly #sockets = new Set<Socket>();
  #closed = false;

  /** `timeoutMs`: for a connection through the proxy to stand. */
  constructor(proxy: UpstreamProxy, timeoutMs: number) {
    this.proxy = proxy;
    this.#timeoutMs = timeoutMs;
  }

  get counters(): ByteCounters {
    return this.#meter.counters;
  }

  /** A connection to the proxy itself. */
  connect(signal?: AbortSignal): Promise<Socket> {
    return this.#bounded(async () => {}, signal);
  }

  /** A connection to the target, through the proxy. */
  tunnel(target: Target, signal?: AbortSignal): Promise<Socket> {
    return this.#bounded(async (socket) => {
      if (!isSocks(this.proxy)) {
        const status = await requestTunnel(socket, this.proxy, target);
        if (status < 200 || status > 299) throw new ProxyError(`refused the tunnel (status ${status})`);
        return;
      }
      await authenticate(socket, this.proxy);
      const asked = this.proxy.scheme === 'socks5' ? await resolved(target, this.proxy) : target;
      await requestConnection(socket, asked);
    }, signal);
  }

  /**
   * One handshake, to see that the proxy answers and takes the credentials. Any well-formed answer to the
   * HTTP question will do: the name in it exists nowhere, so that no site's health decides. Some proxies
   * hang up on a tunnel that they cannot build; those are asked once more, for a page.
   */
  async check(signal: AbortSignal): Promise<void> {
    if (isSocks(this.proxy)) return this.#try((socket) => authenticate(socket, this.proxy), signal);
    try {
      await this.#try((socket) => requestTunnel(socket, this.proxy, { host: nowhere, port: 443 }), signal);
    } catch (error) {
      if (!(error instanceof ProxyError && error.unanswered)) throw error;
      await this.#try((socket) => requestPage(socket, this.proxy, nowhere), signal);
    }
  }

  /** Breaks every connection off. The counters stay readable. */
  close(): void {
    this.#closed = true;
    for (const socket of this.#sockets) socket.destroy(new ProxyError('is no longer asked'));
  }

  async #try(handshake: (socket: Socket) => Promise<unknown>, signal: AbortSignal): Promise<void> {
    (await this.#bounded(handshake, signal)).destroy();
  }

  async #bounded(handshake: (socket: Socket) => Promise<unknown>, outer?: AbortSignal): Promise<Socket> {
    const timeoutMs = this.#timeoutMs;
    using bounds = within(timeoutMs, ...(outer ? [outer] : []));
    const { signal } = bounds;
    let socket: Socket | undefined;
    try {
      socket = await dial(this.proxy, { signal, timeoutMs, track: (made) => this.#track(made) });
      using _guard = destroyOnAbort(socket, signal);
      await handshake(socket);
      return socket;
    } catch (error) {
      socket?.destroy();
      outer?.throwIfAborted();
      throw describeFailure(error);
    }
  }

  #track(socket: Socket): void {
    socket.on('error', () => {}); // Whoever uses the socket hears it; nobody may be using it any more.
    this.#meter.track(socket);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    if (this.#closed) socket.destroy(new ProxyError('is no longer asked'));
  }
}

/**
 * IPv4 first: few SOCKS proxies have a way out by IPv6. What a name means in our own network is for proxies in
 * that network; to one outside it the name does not exist.
 */
async function resolved({ host, port }: Target, { addresses }: UpstreamProxy): Promise<Target> {
  if (net.isIP(host)) return { host, port };
  try {
    const { address } = await lookup(host, { order: 'ipv4first' });
    const proxyIsOutside = addresses.every((own) => isAllowedAddress(own));
    if (proxyIsOutside && !isAllowedAddress(address)) throw new Error('not a public address');
    return { host: address, port };
  } catch (cause) {
    throw new ProxyError(`was not asked: ${host} does not resolve`, { cause });
  }
}
