import type { Socket } from 'node:net';
import type { ByteCounters, UpstreamProxy } from '@turnpike/contract/host';
import { Connection } from '@turnpike/process/connection';
import { SocketSet } from '@turnpike/process/owned-socket';
import { within } from '@turnpike/process/within';
import { ByteMeter } from './byte-meter.ts';
import { destroyOnAbort, dial } from './dial.ts';
import { requestPage, requestTunnel } from './http-connect.ts';
import { authenticate, requestConnection } from './socks5.ts';
import type { Target } from './target.ts';
import { describeFailure, UpstreamProxyError } from './upstream-proxy-error.ts';

/** Both schemes work the same: the proxy resolves names. */
export function isSocks({ scheme }: UpstreamProxy): boolean {
  return scheme === 'socks5' || scheme === 'socks5h';
}

/** RFC 6761: no name below `invalid` exists. */
const nowhere = 'turnpike-check.invalid';

type Handshake = (connection: Connection) => Promise<unknown>;

/**
 * The upstream proxy of one session. Every byte of the session goes through it and is counted, including the check
 * before the browser is used.
 */
export class Upstream {
  readonly #timeoutMs: number;
  readonly #meter = new ByteMeter();
  readonly #sockets = new SocketSet();
  #proxy: UpstreamProxy;

  /** `timeoutMs`: time limit to establish a connection through the proxy. */
  constructor(proxy: UpstreamProxy, timeoutMs: number) {
    this.#proxy = proxy;
    this.#timeoutMs = timeoutMs;
  }

  get proxy(): UpstreamProxy {
    return this.#proxy;
  }

  get counters(): ByteCounters {
    return this.#meter.counters;
  }

  /** Uses these addresses from now on. A customer's proxy keeps the addresses that were checked. */
  moveTo(addresses: readonly string[]): void {
    this.#proxy = { ...this.#proxy, addresses };
  }

  /** Opens a connection to the proxy itself. */
  connect(signal?: AbortSignal): Promise<Connection> {
    return this.#bounded(async () => {}, signal);
  }

  /** Opens a connection to the target, through the proxy. */
  tunnel(target: Target, signal?: AbortSignal): Promise<Connection> {
    return this.#bounded(async (connection) => {
      if (isSocks(this.proxy)) {
        await authenticate(connection, this.proxy);
        return requestConnection(connection, target);
      }
      const status = await requestTunnel(connection, this.proxy, target);
      if (status < 200 || status > 299) throw new UpstreamProxyError(`refused the tunnel (status ${status})`);
    }, signal);
  }

  /**
   * Makes one handshake to check that the proxy answers and accepts the credentials. Any well-formed HTTP response is
   * enough: the requested name does not exist, so the check depends on no site. Some proxies close the connection if
   * they cannot open the tunnel. Those are asked once more, for a page.
   */
  async check(signal: AbortSignal): Promise<void> {
    if (isSocks(this.proxy)) return this.#try((connection) => authenticate(connection, this.proxy), signal);
    const target = { host: nowhere, port: 443 };
    try {
      await this.#try((connection) => requestTunnel(connection, this.proxy, target), signal);
    } catch (error) {
      if (!(error instanceof UpstreamProxyError && error.unanswered)) throw error;
      await this.#try((connection) => requestPage(connection, this.proxy, nowhere), signal);
    }
  }

  /** Destroys every connection. The counters stay readable. */
  close(): void {
    void this.#sockets.close(new UpstreamProxyError('is no longer asked'));
  }

  async #try(handshake: Handshake, signal: AbortSignal): Promise<void> {
    (await this.#bounded(handshake, signal)).destroy();
  }

  async #bounded(handshake: Handshake, outer?: AbortSignal): Promise<Connection> {
    const timeoutMs = this.#timeoutMs;
    using bounds = within(timeoutMs, ...(outer ? [outer] : []));
    const { signal } = bounds;
    let socket: Socket | undefined;
    try {
      socket = await dial(this.proxy, { signal, timeoutMs, track: (made) => this.#track(made) });
      using _guard = destroyOnAbort(socket, signal);
      const connection = new Connection(socket);
      await handshake(connection);
      return connection;
    } catch (error) {
      socket?.destroy();
      outer?.throwIfAborted();
      throw describeFailure(signal.aborted ? signal.reason : error);
    }
  }

  #track(socket: Socket): void {
    this.#meter.track(socket);
    this.#sockets.add(socket);
  }
}
