import { HostError, type UpstreamProxy } from '@turnpike/contract/host';
import type { ResolveProxy } from '@turnpike/contract/host/resolve-proxy';
import { maxProxyContexts } from '@turnpike/contract/proxies';
import { abortable } from '@turnpike/process/abortable';
import { within } from '@turnpike/process/within';
import { UpstreamProxyError } from '@turnpike/tunnel/upstream-proxy-error';
import type { Logger } from 'pino';
import type { Controller } from '../chromium/controller.ts';
import type { Params } from '../chromium/protocol.ts';
import type { SessionTraffic } from '../forwarder/session-traffic.ts';
import { readProxyServer } from '../relay/proxy-server.ts';
import type { ContextKeeper } from '../relay/relay.ts';
import { forwarderPort } from '../sandbox/start-script.ts';
import { proxyHostError } from './check-proxy.ts';

/** For the gateway's answer and the check of the proxy together. */
const openMs = 20_000;

export interface ContextProxiesOptions {
  sessionId: string;
  controller: Controller;
  traffic: SessionTraffic;
  /** Undefined if no gateway answers here. */
  resolveProxy: ResolveProxy | undefined;
  /** The browser has addresses of its own, which nothing else can connect to. */
  isSandboxed: boolean;
  logger: Logger;
}

/**
 * The contexts of one browser that have a proxy of their own. Each is told that its proxy is at an address of the
 * sandbox, 127.0.0.2 and so on, by which the forwarder tells them apart. No address is used twice: a connection that is
 * left of a context that is gone leads nowhere.
 */
export class ContextProxies implements ContextKeeper {
  readonly #options: ContextProxiesOptions;
  /** Their addresses, by the browser's ids. */
  readonly #addresses = new Map<string, string>();
  #opening = 0;
  #lastAddress = 1;

  constructor(options: ContextProxiesOptions) {
    this.#options = options;
  }

  async create(params: object): Promise<{ browserContextId: string }> {
    const { proxyServer, proxyBypassList: _list, ...rest } = params as Record<string, unknown>;
    const read = readProxyServer(String(proxyServer));
    if ('refusal' in read) throw new Error(read.refusal);
    if (!this.#options.isSandboxed)
      throw new Error('A browser without a sandbox has one proxy for all contexts');
    if (this.#addresses.size + this.#opening >= maxProxyContexts)
      throw new Error(
        `The session has ${maxProxyContexts} contexts with proxies of their own. Close one first.`,
      );
    this.#opening += 1;
    try {
      return await this.#create(read.proxy, rest);
    } finally {
      this.#opening -= 1;
    }
  }

  dispose(browserContextId: string): Promise<object> | undefined {
    const address = this.#addresses.get(browserContextId);
    if (address === undefined) return undefined;
    this.#addresses.delete(browserContextId);
    // Its pages may send their last requests until then.
    return this.#options.controller
      .call('Target.disposeBrowserContext', { browserContextId })
      .then(() => ({}))
      .finally(() => this.#options.traffic.closeAddress(address));
  }

  async #create(proxyText: string, rest: object): Promise<{ browserContextId: string }> {
    const { traffic, controller } = this.#options;
    using bounds = within(openMs);
    const { signal } = bounds;
    const proxy = await this.#resolve(proxyText, signal);
    const address = this.#nextAddress();
    await this.#open(address, proxy, signal);
    const params = {
      ...rest,
      // The host disposes it: see the relay.
      disposeOnDetach: false,
      proxyServer: `http://${address}:${forwarderPort}`,
      // Without this the browser would go to its own machine without a proxy, which reaches nothing.
      proxyBypassList: '<-loopback>',
    } as Params<'Target.createBrowserContext'>;
    try {
      const { browserContextId } = await controller.call('Target.createBrowserContext', params);
      this.#addresses.set(browserContextId, address);
      return { browserContextId };
    } catch (error) {
      traffic.closeAddress(address);
      throw error;
    }
  }

  async #resolve(proxy: string, signal: AbortSignal): Promise<UpstreamProxy> {
    const { resolveProxy, sessionId, logger } = this.#options;
    if (!resolveProxy) throw new Error('This host cannot look up proxies for contexts');
    const asked = resolveProxy({ sessionId, proxy }, signal);
    const resolved = await abortable(asked, signal).catch((error: Error) => {
      logger.warn({ reason: error.message }, 'no gateway looked up the proxy of a context');
      throw new Error('The proxy could not be looked up. Try again.');
    });
    if (!resolved.ok) throw new Error(resolved.refusal);
    return resolved.proxy;
  }

  /** Checks a proxy as that of a session is. One that asks for credentials may get them later, from the client. */
  async #open(address: string, proxy: UpstreamProxy, signal: AbortSignal): Promise<void> {
    const { traffic } = this.#options;
    const takesCredentials = proxy.username === undefined && proxy.password === undefined;
    try {
      const route = traffic.routeTo(proxy, { takesCredentials });
      traffic.openAddress(address, route);
      await route.upstream.check(signal);
    } catch (error) {
      const isAsking = error instanceof UpstreamProxyError && error.fault === 'credentials';
      if (isAsking && takesCredentials) return;
      traffic.closeAddress(address);
      const told = proxyHostError(error, proxy);
      throw told instanceof HostError
        ? new Error(told.message)
        : new Error('The proxy did not answer in time');
    }
  }

  #nextAddress(): string {
    this.#lastAddress += 1;
    if (this.#lastAddress >= 2 ** 24 - 1) throw new Error('The session has had as many contexts as it may');
    const number = this.#lastAddress;
    return `127.${number >> 16}.${(number >> 8) & 0xff}.${number & 0xff}`;
  }
}
