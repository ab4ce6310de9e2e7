import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Inside } from '../inside/inside.ts';

const startTimeoutMs = 20_000;

/** More than ChromeDriver uses. */
const maxConnections = 64;

export interface DriverAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: it is ChromeDriver's, and read where it is used.
  value: any;
}

/** ChromeDriver, which listens on the sandbox's own loopback and finds the session's DevTools at an address there. */
export class Driver {
  readonly debuggerAddress: string;
  readonly #port: number;
  readonly #agent = new http.Agent({ keepAlive: true });

  private constructor(port: number, debuggerAddress: string) {
    this.#port = port;
    this.debuggerAddress = debuggerAddress;
  }

  /** `onExit` is called when ChromeDriver has ended. */
  static async start(inside: Inside, program: string, onExit: () => void): Promise<Driver> {
    const bridge = await startBridge(inside);
    const { port } = bridge.address() as AddressInfo;
    // It ends with this process, however that ends.
    const flags = ['--pdeathsig', 'KILL', program, '--port=0', '--log-level=SEVERE'];
    const child = spawn('/usr/bin/setpriv', flags, { stdio: ['ignore', 'pipe', 'ignore'] });
    child.once('exit', onExit);
    return new Driver(await listeningPort(child), `127.0.0.1:${port}`);
  }

  /** Passes a request to ChromeDriver. */
  request(method: string, path: string, headers: http.OutgoingHttpHeaders): http.ClientRequest {
    const { 'content-type': type, 'content-length': length } = headers;
    return http.request({
      agent: this.#agent,
      host: '127.0.0.1',
      port: this.#port,
      method,
      path,
      headers: {
        ...(type !== undefined && { 'content-type': type }),
        ...(length !== undefined && { 'content-length': length }),
      },
    });
  }

  async call(method: string, path: string, body?: object): Promise<DriverAnswer> {
    const content = body && Buffer.from(JSON.stringify(body));
    const headers = { 'content-type': 'application/json', 'content-length': content?.length ?? 0 };
    const request = this.request(method, path, headers);
    request.on('error', () => {}); // Also after the response has begun.
    const answered = once(request, 'response') as Promise<[IncomingMessage]>;
    request.end(content);
    const [response] = await answered;
    const { value } = JSON.parse(await text(response)) as { value: unknown };
    return { status: response.statusCode ?? 500, value };
  }
}

/** ChromeDriver wants an address for DevTools. Each connection there becomes one to the host. */
async function startBridge(inside: Inside): Promise<Server> {
  const bridge = createServer((client) => {
    client.on('error', () => {}); // A close follows.
    client.pause();
    void inside.connectDevTools().then((devtools) => {
      devtools.on('error', () => {}); // A close follows.
      client.once('close', () => devtools.destroy());
      devtools.once('close', () => client.destroy());
      if (client.destroyed) devtools.destroy();
      client.pipe(devtools).pipe(client);
    });
  });
  bridge.maxConnections = maxConnections;
  bridge.listen(0, '127.0.0.1');
  await once(bridge, 'listening');
  return bridge;
}

async function listeningPort(child: ChildProcess): Promise<number> {
  const port = Promise.withResolvers<number>();
  const fail = () => port.reject(new Error('ChromeDriver did not start'));
  const timer = setTimeout(fail, startTimeoutMs);
  let said = '';
  child.once('error', port.reject);
  child.once('exit', fail);
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    if (said.length < maxGreeting) said += part;
    const found = /started successfully on port (\d+)/.exec(said)?.[1];
    if (found !== undefined) port.resolve(Number(found));
  });
  try {
    return await port.promise;
  } finally {
    clearTimeout(timer);
  }
}

const maxGreeting = 4096;
