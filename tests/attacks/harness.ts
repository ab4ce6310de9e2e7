import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { makeCertificates } from '../fixtures/network/certificates.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { type Service, startService } from '../fixtures/service/service.ts';
import { RawCdp } from './cdp.ts';
import { CustomerProxy, type CustomerProxyOptions } from './customer-proxy.ts';
import {
  distantAddress,
  makeNamespace,
  metadataAddress,
  type Namespace,
  publicAddress,
} from './namespace.ts';
import { SocksProxy } from './socks-proxy.ts';

/** Where a leak would look first: names, web, proxies, PostgreSQL, DevTools. */
const canaryPorts = [53, 80, 443, 1080, 3128, 5432, 9222, 9229];
/** Names, QUIC, STUN, SSDP, mDNS. */
const canaryDatagramPorts = [53, 443, 3478, 1900, 5353];

export interface Session {
  id: string;
  cdpId: string;
  url: string;
}

export interface HttpAnswer {
  status: number;
  headers: [string, string][];
  text: string;
}

/** The whole service in a namespace of its own, a customer's proxy in it, and canaries on everything else. */
export class AttackHarness implements AsyncDisposable {
  readonly namespace: Namespace;
  /** Everything that a session's traffic may go to. */
  readonly proxies: { connections: number; unauthorised: number }[] = [];
  readonly service: Service;
  /** A directory that everybody on the host may read and write; the file in it, and one that no attack names. */
  readonly canaryDirectory: string;
  readonly canaryFile: string;
  readonly canaryText: string;
  /** What no client may ever be shown, by what it is. */
  readonly secrets: Record<string, string>;
  /** Connections and datagrams that arrived where nothing may. */
  readonly caught: string[] = [];
  readonly #clients: RawCdp[] = [];
  readonly #proxyOptions: CustomerProxyOptions;
  readonly #undo: AsyncDisposableStack;

  private constructor(parts: {
    namespace: Namespace;
    proxyOptions: CustomerProxyOptions;
    service: Service;
    canary: { directory: string; file: string; text: string };
    secrets: Record<string, string>;
    undo: AsyncDisposableStack;
  }) {
    this.namespace = parts.namespace;
    this.#proxyOptions = parts.proxyOptions;
    this.service = parts.service;
    this.canaryDirectory = parts.canary.directory;
    this.canaryFile = parts.canary.file;
    this.canaryText = parts.canary.text;
    this.#undo = parts.undo;
    this.secrets = parts.secrets;
  }

  static async open(env: Record<string, string> = {}): Promise<AttackHarness> {
    await using undo = new AsyncDisposableStack();
    const scratch = undo.use(await scratchDirectory('attacks')).path;
    await chmod(scratch, 0o755);
    const canary = await layCanary(scratch);
    const namespace = undo.use(await makeNamespace());
    const { certFile, keyFile } = await makeCertificates(scratch);
    const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
    const username = `user${token()}`;
    const password = `pass${token()}`;
    const service = undo.use(
      await startService({
        within: namespace.enter,
        env: {
          TURNPIKE_HOST_PROXY_TIMEOUT_MS: '1500',
          // Enough for most sessions to come out of the pool, which is one more place to leak from.
          TURNPIKE_HOST_WARM_HEADLESS: '1',
          TURNPIKE_HOST_WARM_HEADFUL: '1',
          // Elsewhere for a customer; here an address of the namespace that the service is in.
          TURNPIKE_PROXY_ALLOW: distantAddress,
          CANARY_VARIABLE: canary.text,
          ...env,
        },
      }),
    );
    const secrets = {
      'the canary file': canary.text,
      'a name in the canary directory': canary.unnamed,
      'the host’s users': 'root:x:0:0',
      'the proxy’s user name': username,
      'the proxy’s password': password,
      'the proxy’s credentials': Buffer.from(`${username}:${password}`).toString('base64'),
      'the customer’s key': service.demoKey,
    };
    const proxyOptions = { username, password, cert, key };
    const harness = new AttackHarness({
      namespace,
      proxyOptions,
      service,
      canary,
      secrets,
      undo: undo.move(),
    });
    await harness.#layCanaries();
    await harness.addProxy();
    return harness;
  }

  /** The first one. */
  get proxy(): CustomerProxy {
    return this.proxies[0] as CustomerProxy;
  }

  async addProxy(): Promise<CustomerProxy> {
    const proxy = new CustomerProxy(await this.namespace.listener(0), this.#proxyOptions);
    this.#undo.defer(() => proxy.close());
    this.proxies.push(proxy);
    this.secrets[`the address of proxy ${this.proxies.length}`] = `127.0.0.1:${proxy.port}`;
    return proxy;
  }

  /** One that is out on the internet. */
  async addSocksProxy(): Promise<SocksProxy> {
    const proxy = new SocksProxy(await this.namespace.listener(0, distantAddress));
    this.#undo.defer(() => proxy.close());
    this.proxies.push(proxy);
    return proxy;
  }

  async session(parameters: Record<string, string> = {}): Promise<Session> {
    const query = new URLSearchParams({ proxy: this.proxy.url, ...parameters });
    const { status, text, headers } = await this.request(`${this.service.gatewayUrl}/connect?${query}`, {
      headers: { 'x-api-key': this.service.demoKey },
    });
    if (status !== 200) throw new Error(`no session: ${status} ${text}\n${this.service.logs()}`);
    const id = new Map(headers.map(([name, value]) => [name.toLowerCase(), value])).get('x-session-id') ?? '';
    return { id, url: text, cdpId: text.slice(text.lastIndexOf('/') + 1) };
  }

  async attack({ url }: Session): Promise<RawCdp> {
    const client = await RawCdp.connect(this.namespace, url);
    this.#clients.push(client);
    return client;
  }

  async end({ id }: Session): Promise<void> {
    const headers = { 'x-api-key': this.service.demoKey, 'content-type': 'application/json' };
    const body = JSON.stringify({ browserId: id });
    await this.request(`${this.service.gatewayUrl}/api/browser/close`, { headers, method: 'POST', body });
  }

  async request(
    url: string,
    { method = 'GET', headers = {}, body = '' }: { method?: string; headers?: object; body?: string } = {},
  ): Promise<HttpAnswer> {
    const socket = await this.namespace.connection(Number(new URL(url).port));
    const request = http.request({
      method,
      path: url.slice(new URL(url).origin.length), // As written: a parser would tidy it up.
      headers: { host: new URL(url).host, ...headers },
      createConnection: () => socket,
    });
    request.end(body);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    socket.destroy();
    const names = response.rawHeaders.filter((_, index) => index % 2 === 0);
    return {
      status: response.statusCode ?? 0,
      headers: names.map((name, index) => [name, response.rawHeaders[2 * index + 1] ?? '']),
      text,
    };
  }

  /**
   * Nothing was read and nothing went anywhere but to the customer's proxy. This is exact: the kernel counts
   * every connection that is opened in the namespace, and those must be the proxy's and the tests' own.
   */
  async expectSealed({ proxyIsGone = false } = {}): Promise<void> {
    const { namespace, proxies } = this;
    const unexplained = () => {
      const { connectionsOpened, connectionsFailed } = namespace.traffic();
      const toProxies = proxies.reduce((sum, { connections }) => sum + connections, 0);
      return connectionsOpened - (proxyIsGone ? connectionsFailed : 0) - toProxies - namespace.dialled();
    };
    // The kernel has counted what was sent a moment ago before the proxy hears of it.
    await expect.poll(unexplained).toBe(0);
    expect(namespace.traffic()).toMatchObject({ outside: 0, datagramsSent: 0, icmpSent: 0 });
    expect(this.caught.splice(0)).toEqual([]);
    expect(proxies.map(({ unauthorised }) => unauthorised)).toEqual(proxies.map(() => 0));
    expect(this.shown()).toEqual([]);
    expect(readdirSync(this.canaryDirectory)).toHaveLength(2);
    expect(readFileSync(this.canaryFile, 'utf8')).toBe(this.canaryText);
  }

  /** Which secrets were in anything that any client received since this was last asked, with what was around them. */
  shown(): string[] {
    const messages = this.#clients.flatMap(({ received }) => received.splice(0));
    return Object.entries(this.secrets).flatMap(([what, secret]) =>
      messages
        .filter((message) => message.includes(secret))
        .map((message) => `${what}: …${around(message, secret)}…`)
        .slice(0, 3),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) await client.close();
    await this.#undo.disposeAsync();
  }

  async #layCanaries(): Promise<void> {
    for (const port of canaryPorts) {
      const server = await this.namespace.listener(port, '::');
      server.on('connection', (socket: Socket) => {
        this.caught.push(`connection to port ${port}`);
        socket.destroy();
      });
      this.#undo.defer(() => void server.close());
    }
    for (const port of canaryDatagramPorts) {
      for (const host of ['127.0.0.1', publicAddress, metadataAddress, '::1']) {
        const socket = await this.namespace.datagrams(port, host);
        socket.on('message', () => this.caught.push(`datagram to ${host} port ${port}`));
        this.#undo.defer(() => void socket.close());
      }
    }
  }
}

async function layCanary(scratch: string) {
  const directory = join(scratch, 'shared');
  const file = join(directory, 'file.txt');
  const unnamed = `unnamed-${token()}`;
  const text = `canary ${token()}`;
  await mkdir(directory);
  await chmod(directory, 0o777);
  for (const path of [file, join(directory, unnamed)]) await writeFile(path, text, { mode: 0o644 });
  return { directory, file, unnamed, text };
}

function token(): string {
  return randomBytes(8).toString('hex');
}

function around(message: string, secret: string): string {
  const at = message.indexOf(secret);
  return message.slice(Math.max(0, at - 100), at + secret.length + 20);
}
