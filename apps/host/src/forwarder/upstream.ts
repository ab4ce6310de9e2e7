import { lookup } from 'node:dns/promises';
import net, { type Socket } from 'node:net';
import type { UpstreamProxy } from '@turnpike/contract/host';
import { type DialOptions, destroyOnAbort, dial } from './dial.ts';
import { requestPage, requestTunnel } from './http-connect.ts';
import { describeFailure, ProxyError } from './proxy-error.ts';
import { authenticate, requestConnection } from './socks5.ts';
import type { Target } from './target.ts';

export function isSocks({ scheme }: UpstreamProxy): boolean {
  return scheme === 'socks5' || scheme === 'socks5h';
}

/** RFC 6761: no name below `invalid` exists. */
const nowhere = 'turnpike-check.invalid';

export interface UpstreamOptions {
  timeoutMs: number;
  track: DialOptions['track'];
}

/** The customer's proxy as the forwarder uses it. Every way out of a session goes through here. */
export class Upstream {
  readonly proxy: UpstreamProxy;
  readonly #options: UpstreamOptions;

  constructor(proxy: UpstreamProxy, options: UpstreamOptions) {
    this.proxy = proxy;
    this.#options = options;
  }

  /** A connection to the proxy itself. */
  connect(): Promise<Socket> {
    return this.#bounded(async () => {});
  }

  /** A connection to the target, through the proxy. */
  tunnel(target: Target): Promise<Socket> {
    return this.#bounded(async (socket) => {
      if (!isSocks(this.proxy)) {
        const status = await requestTunnel(socket, this.proxy, target);
        if (status < 200 || status > 299) throw new ProxyError(`refused the tunnel (status ${status})`);
        return;
      }
      await authenticate(socket, this.proxy);
      await requestConnection(socket, this.proxy.scheme === 'socks5' ? await resolved(target) : target);
    });
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

  async #try(handshake: (socket: Socket) => Promise<unknown>, signal: AbortSignal): Promise<void> {
    (await this.#bounded(handshake, signal)).destroy();
  }

  async #bounded(handshake: (socket: Socket) => Promise<unknown>, outer?: AbortSignal): Promise<Socket> {
    const deadline = AbortSignal.timeout(this.#options.timeoutMs);
    const signal = outer ? AbortSignal.any([outer, deadline]) : deadline;
    let socket: Socket | undefined;
    try {
      socket = await dial(this.proxy, { ...this.#options, signal });
      using _guard = destroyOnAbort(socket, signal);
      await handshake(socket);
      return socket;
    } catch (error) {
      socket?.destroy();
      outer?.throwIfAborted();
      throw describeFailure(error);
    }
  }
}

/** IPv4 first: few SOCKS proxies have a way out by IPv6. */
async function resolved({ host, port }: Target): Promise<Target> {
  if (net.isIP(host)) return { host, port };
  try {
    return { host: (await lookup(host, { order: 'ipv4first' })).address, port };
  } catch (cause) {
    throw new ProxyError(`was not asked: ${host} does not resolve`, { cause });
  }
}
