import type { Socket } from 'node:net';
import type { ByteCounters, UpstreamProxy } from '@turnpike/contract/host';
import { within } from '@turnpike/process/within';
import { ByteMeter, type ByteShare } from './byte-meter.ts';
import { destroyOnAbort, dial } from './dial.ts';
import { requestPage, requestTunnel } from './http-connect.ts';
import { LimitedConnection } from './limited-connection.ts';
import { Connection } from './sockets/connection.ts';
import { SocketSet } from './sockets/owned-socket.ts';
import { authenticate, requestConnection } from './socks5.ts';
import type { Target } from './target.ts';
import { describeFailure, UpstreamProxyError } from './upstream-proxy-error.ts';

/** Both schemes work the same: the proxy resolves names. */
export function isSocks({ scheme }: UpstreamProxy): boolean {
  return scheme === 'socks5' || scheme === 'socks5h';
}

/** RFC 6761: no name below `invalid` exists. */
const nowhere = { host: 'turnpike-check.invalid', port: 443 };

type Handshake = (connection: Connection) => Promise<unknown>;

export type ProxyCredentials = Pick<UpstreamProxy, 'username' | 'password'>;

export interface UpstreamOptions {
  /** The destinations' parts of the counters. */
  shareOf?(target: Target): ByteShare;
  /** Counts its bytes, with those of others. Where its limit is reached, `onSpent` cuts all who share it. */
  meter?: ByteMeter;
  onSpent?(): void;
  watcher?: UpstreamWatcher;
}

/** Hears how a proxy does. */
export interface UpstreamWatcher {
  /** A connection to it is tried. */
  connecting(): void;
  /** It has answered a request, this long after it was sent. */
  answered(ms: number): void;
}

/** Answers that say more about the target than about the proxy. */
const targetStatus = new Set([404, 500, 502, 503, 504]);

/** An upstream proxy. Every byte that goes through it is counted, including the check before the browser is used. */
export class Upstream {
  readonly #timeoutMs: number;
  readonly #meter: ByteMeter;
  readonly #sockets = new SocketSet();
  readonly #shareOf: UpstreamOptions['shareOf'];
  readonly #onSpent: () => void;
  readonly #watcher: UpstreamWatcher | undefined;
  /** Takes the time to the first byte of an answer to a plain request. */
  readonly answered: ((ms: number) => void) | undefined;
  /** Moves the bytes of a connection from one destination to the next. */
  readonly #moves = new WeakMap<Connection, (share: ByteShare | undefined) => void>();
  #proxy: UpstreamProxy;

  /** `timeoutMs`: time limit to establish a connection through the proxy. */
  constructor(
    proxy: UpstreamProxy,
    timeoutMs: number,
    { shareOf, meter = new ByteMeter(), onSpent, watcher }: UpstreamOptions = {},
  ) {
    this.#proxy = proxy;
    this.#timeoutMs = timeoutMs;
    this.#shareOf = shareOf;
    this.#meter = meter;
    this.#onSpent = onSpent ?? (() => this.close());
    this.#watcher = watcher;
    this.answered = watcher && ((ms) => watcher.answered(ms));
  }

  get proxy(): UpstreamProxy {
    return this.#proxy;
  }

  get counters(): ByteCounters {
    return this.#meter.counters;
  }

  /** Whether it has carried as many bytes as it may. */
  get isSpent(): boolean {
    return this.#meter.isExceeded;
  }

  /** Uses these addresses from now on. A customer's proxy keeps the addresses that were checked. */
  moveTo(addresses: readonly string[]): void {
    this.#proxy = { ...this.#proxy, addresses };
  }

  /** Uses these credentials from now on. */
  authorize(credentials: ProxyCredentials): void {
    this.#proxy = { ...this.#proxy, ...credentials };
  }

  /** Opens a connection to the proxy itself, for a request to the target. */
  connect(target: Target, signal?: AbortSignal): Promise<Connection> {
    return this.#bounded(target, async () => {}, signal);
  }

  /** Counts a connection's further bytes for another target. */
  reuse(connection: Connection, target: Target): void {
    this.#moves.get(connection)?.(this.#shareOf?.(target));
  }

  /** Opens a connection to the target, through the proxy. */
  tunnel(target: Target, signal?: AbortSignal): Promise<Connection> {
    return this.#bounded(
      target,
      async (connection) => {
        const isSocksProxy = isSocks(this.proxy);
        if (isSocksProxy) await authenticate(connection, this.proxy);
        const askedAt = performance.now();
        if (isSocksProxy) await requestConnection(connection, target);
        else await this.#requestTunnel(connection, target);
        this.#watcher?.answered(performance.now() - askedAt);
      },
      signal,
    );
  }

  /**
   * Makes one handshake to check that the proxy answers and accepts the credentials. Any well-formed HTTP response is
   * enough: the requested name does not exist, so the check depends on no site. Some proxies close the connection if
   * they cannot open the tunnel. Those are asked once more, for a page.
   */
  async check(signal: AbortSignal): Promise<void> {
    if (isSocks(this.proxy)) return this.#try((connection) => authenticate(connection, this.proxy), signal);
    try {
      await this.#try((connection) => requestTunnel(connection, this.proxy, nowhere), signal);
    } catch (error) {
      if (!(error instanceof UpstreamProxyError && error.unanswered)) throw error;
      await this.#try((connection) => requestPage(connection, this.proxy, nowhere.host), signal);
    }
  }

  /** Destroys every connection. New ones may be made. */
  cut(): void {
    this.#sockets.cut(new UpstreamProxyError('is not asked for now'));
  }

  /** Destroys every connection, for good. The counters stay readable. */
  close(): void {
    void this.#sockets.close(new UpstreamProxyError('is no longer asked'));
  }

  async #requestTunnel(connection: Connection, target: Target): Promise<void> {
    const status = await requestTunnel(connection, this.proxy, target);
    if (status >= 200 && status <= 299) return;
    throw new UpstreamProxyError(`refused the tunnel (status ${status})`, {
      ...(!targetStatus.has(status) && { fault: 'refused' }),
    });
  }

  async #try(handshake: Handshake, signal: AbortSignal): Promise<void> {
    (await this.#bounded(nowhere, handshake, signal)).destroy();
  }

  async #bounded(target: Target, handshake: Handshake, outer?: AbortSignal): Promise<Connection> {
    const timeoutMs = this.#timeoutMs;
    using bounds = within(timeoutMs, ...(outer ? [outer] : []));
    const { signal } = bounds;
    const share = this.#shareOf?.(target);
    this.#watcher?.connecting();
    let move: ((share: ByteShare | undefined) => void) | undefined;
    let socket: Socket | undefined;
    try {
      const track = (made: Socket) => {
        move = this.#meter.track(made, share);
        this.#sockets.add(made);
      };
      socket = await dial(this.proxy, { signal, timeoutMs, track });
      using _guard = destroyOnAbort(socket, signal);
      const connection = this.#connectionOf(socket);
      if (move) this.#moves.set(connection, move);
      await handshake(connection);
      return connection;
    } catch (error) {
      socket?.destroy();
      outer?.throwIfAborted();
      throw describeFailure(signal.aborted ? signal.reason : error);
    }
  }

  #connectionOf(socket: Socket): Connection {
    if (!this.#meter.isLimited) return new Connection(socket);
    return new LimitedConnection(socket, this.#meter, this.#onSpent);
  }
}
