import type { DefaultProxy, ProxyCheck, ProxyDay, ProxyPolicy, ProxyPool, SavedProxy } from './answers.ts';
import type { CallOptions } from './options.ts';
import type { Transport } from './transport/transport.ts';

const proxiesPath = '/user/api/proxies';
const poolsPath = '/user/api/proxy-pools';
const defaultPath = '/user/api/default-proxy';

/** What a saved proxy has. Null takes a value away. */
export interface SavedProxyOptions {
  /** With its credentials, which are never shown again. It may have `{country}`, `{session}` and `{key}` in it. */
  url: string;
  tags?: readonly string[];
  /** ISO 3166-1 alpha-2; the default of `{country}`. */
  country?: string | null;
  notes?: string | null;
  /** For 10⁹ bytes, in a currency of your own. */
  pricePerGb?: number | null;
  /** PEM: the only authorities that the certificate of an `https` proxy may be from. */
  ca?: string | null;
  /** Whether the browsers of its sessions trust `ca` too. */
  trustCaInBrowser?: boolean;
  /** PEM: what an `https` proxy is shown when it asks for a certificate. */
  clientCertificate?: { certificate: string; key: string } | null;
}

export interface ProxyPoolOptions {
  policy: ProxyPolicy;
  /** Names of saved proxies, in their order. */
  members: readonly string[];
}

/** The proxies that the account has saved. A create names one as `name:<name>`. */
export class Proxies {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async list(options: CallOptions = {}): Promise<SavedProxy[]> {
    const request = { path: proxiesPath };
    return (await this.#transport.json<{ proxies: SavedProxy[] }>(request, options)).proxies;
  }

  get(name: string, options: CallOptions = {}): Promise<SavedProxy> {
    return this.#transport.json({ path: pathOf(proxiesPath, name) }, options);
  }

  /** Saves a proxy. Never retried: a second one of the same name is refused. */
  create(proxy: SavedProxyOptions & { name: string }, options: CallOptions = {}): Promise<SavedProxy> {
    const request = { path: proxiesPath, method: 'POST', body: proxy } as const;
    return this.#transport.json(request, { ...options, retries: 0 });
  }

  /** Changes what is given. `name` renames it. Sessions that run keep what they have. */
  change(
    name: string,
    change: Partial<SavedProxyOptions> & { name?: string },
    options: CallOptions = {},
  ): Promise<SavedProxy> {
    const request = { path: pathOf(proxiesPath, name), method: 'PATCH', body: change } as const;
    return this.#transport.json(request, options);
  }

  async delete(name: string, options: CallOptions = {}): Promise<void> {
    await this.#transport.call({ path: pathOf(proxiesPath, name), method: 'DELETE' }, options);
  }

  /** Dials it now, and fetches `url` through it if one is given. A proxy that fails is an answer, not an error. */
  check(
    name: string,
    { url, country, ...options }: CallOptions & { url?: string; country?: string } = {},
  ): Promise<ProxyCheck> {
    const path = `${pathOf(proxiesPath, name)}/check`;
    return this.#transport.json({ path, method: 'POST', body: { url, country } }, options);
  }

  /** What sessions have seen of it, by the UTC day on which they ended, the oldest first. */
  async usage(name: string, options: CallOptions = {}): Promise<ProxyDay[]> {
    const path = `${pathOf(proxiesPath, name)}/usage`;
    return (await this.#transport.json<{ days: ProxyDay[] }>({ path }, options)).days;
  }

  /** Reads the proxy of creates that name none: `name:…`, `pool:…`, or null. */
  async getDefault(options: CallOptions = {}): Promise<string | null> {
    return (await this.#transport.json<DefaultProxy>({ path: defaultPath }, options)).proxy;
  }

  /** Sets it. With null, a create must name its proxy. */
  async setDefault(proxy: string | null, options: CallOptions = {}): Promise<string | null> {
    const request = { path: defaultPath, method: 'PUT', body: { proxy } } as const;
    return (await this.#transport.json<DefaultProxy>(request, options)).proxy;
  }
}

/** Lists of saved proxies, of which a create with `pool:<name>` gets one. */
export class ProxyPools {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async list(options: CallOptions = {}): Promise<ProxyPool[]> {
    return (await this.#transport.json<{ pools: ProxyPool[] }>({ path: poolsPath }, options)).pools;
  }

  get(name: string, options: CallOptions = {}): Promise<ProxyPool> {
    return this.#transport.json({ path: pathOf(poolsPath, name) }, options);
  }

  /** Creates a pool. Never retried: a second one of the same name is refused. */
  create(pool: ProxyPoolOptions & { name: string }, options: CallOptions = {}): Promise<ProxyPool> {
    const request = { path: poolsPath, method: 'POST', body: pool } as const;
    return this.#transport.json(request, { ...options, retries: 0 });
  }

  /** Changes what is given. `members` replaces all members. */
  change(
    name: string,
    change: Partial<ProxyPoolOptions> & { name?: string },
    options: CallOptions = {},
  ): Promise<ProxyPool> {
    const request = { path: pathOf(poolsPath, name), method: 'PATCH', body: change } as const;
    return this.#transport.json(request, options);
  }

  /** Deletes a pool. Its proxies stay. */
  async delete(name: string, options: CallOptions = {}): Promise<void> {
    await this.#transport.call({ path: pathOf(poolsPath, name), method: 'DELETE' }, options);
  }

  /** What sessions that named the pool have seen of its members, by UTC day, the oldest first. */
  async usage(name: string, options: CallOptions = {}): Promise<ProxyDay[]> {
    const path = `${pathOf(poolsPath, name)}/usage`;
    return (await this.#transport.json<{ days: ProxyDay[] }>({ path }, options)).days;
  }
}

const pathOf = (path: string, name: string): string => `${path}/${encodeURIComponent(name)}`;
