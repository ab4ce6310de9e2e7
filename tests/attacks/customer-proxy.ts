import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

export interface CustomerProxyOptions {
  username: string;
  password: string;
  /** For `https://localhost`. */
  cert: Buffer;
  key: Buffer;
}

export type Answers = 'normally' | 'with a reset' | 'with rubbish' | 'not at all' | 'with half a page';

/**
 * The customer's proxy, and at the same time all of the web that there is: it opens no connection of its own. It
 * answers for the sites `localhost`, also by TLS, and `site.test`; whatever else it is asked for it notes and
 * refuses.
 */
export class CustomerProxy {
  readonly port: number;
  /** Requests and tunnels, as `GET http://site.test/` and `CONNECT localhost:443`. */
  readonly asked: string[] = [];
  connections = 0;
  unauthorised = 0;
  answers: Answers = 'normally';
  readonly #listener: Server;
  readonly #open = new Set<Socket>();
  readonly #pages = new Map<string, string>();
  readonly #options: CustomerProxyOptions;
  readonly #proxy = http.createServer((request, response) => this.#onRequest(request, response));
  readonly #site = http.createServer((request, response) => this.#serve(request.url ?? '', response));

  constructor(listener: Server, options: CustomerProxyOptions) {
    this.#listener = listener;
    this.#options = options;
    const address = listener.address();
    if (address === null || typeof address === 'string') throw new Error('not listening on TCP');
    this.port = address.port;
    listener.on('connection', (socket: Socket) => this.#onConnection(socket));
    this.#proxy.on('connect', (request: IncomingMessage, socket: Socket) => this.#onTunnel(request, socket));
  }

  get url(): string {
    const { username, password } = this.#options;
    return `http://${encodeURIComponent(username)}:${encodeURIComponent(password)}@127.0.0.1:${this.port}`;
  }

  /** What was asked since a mark, but for the service's own look whether the proxy works. */
  askedSince(mark: number): string[] {
    return this.asked.slice(mark).filter((line) => !line.includes('turnpike-check.invalid'));
  }

  /** What both sites have at a path. */
  page(path: string, body: string): void {
    this.#pages.set(path, body);
  }

  /** Breaks every connection off, so that what comes next comes anew. */
  reset(): void {
    for (const socket of this.#open) socket.resetAndDestroy();
  }

  /** No longer there, as far as anybody can see: nobody listens, and every connection is broken off. */
  vanish(): void {
    this.#listener.close();
    this.reset();
  }

  close(): void {
    this.vanish();
    this.#proxy.close();
    this.#site.close();
  }

  #onConnection(socket: Socket): void {
    this.connections += 1;
    this.#open.add(socket);
    socket.on('error', () => {}).on('close', () => this.#open.delete(socket));
    if (this.answers === 'not at all') socket.resume();
    else if (this.answers === 'with a reset') socket.once('data', () => socket.resetAndDestroy());
    else if (this.answers === 'with rubbish')
      socket.once('data', () => socket.end('\x00\xff no proxy\r\n\r\n'));
    else this.#proxy.emit('connection', socket);
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const url = URL.parse(request.url ?? '');
    this.asked.push(`${request.method} ${request.url}`);
    if (!this.#knows(request)) response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end();
    else if (url && ['localhost', 'site.test'].includes(url.host)) this.#serve(url.pathname, response);
    else response.writeHead(403).end();
  }

  #onTunnel(request: IncomingMessage, socket: Socket): void {
    this.asked.push(`CONNECT ${request.url}`);
    if (!this.#knows(request)) return void socket.end('HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n');
    if (request.url !== 'localhost:443')
      return void socket.end('HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n');
    socket.write('HTTP/1.1 200 Yes\r\n\r\n');
    const { cert, key } = this.#options;
    const secure = new TLSSocket(socket, { isServer: true, cert, key });
    secure.on('error', () => {});
    this.#site.emit('connection', secure);
  }

  #knows(request: IncomingMessage): boolean {
    const { username, password } = this.#options;
    const expected = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    if (request.headers['proxy-authorization'] === expected) return true;
    this.unauthorised += 1;
    return false;
  }

  #serve(path: string, response: ServerResponse): void {
    const body = this.#pages.get(path);
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8';
    // An invitation to QUIC, on every answer.
    const headers = { 'content-type': type, 'cache-control': 'no-store', 'alt-svc': 'h3=":443"; ma=3600' };
    if (this.answers !== 'with half a page')
      response.writeHead(body === undefined ? 404 : 200, headers).end(body);
    else response.writeHead(200, { ...headers, 'content-length': 10_000 }).write('<title>half');
  }
}
