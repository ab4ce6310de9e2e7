import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from '@turnpike/tunnel/join';
import { parseTarget } from '@turnpike/tunnel/target';
import type { Admission, Credentials } from './admission.ts';
import type { MeteredConnection } from './meter.ts';
import type { ProxyMetrics } from './proxy-metrics.ts';
import { Refusal } from './refusal.ts';

/** HTTP CONNECT and plain HTTP (RFC 9110). */
export class HttpSide {
  readonly #server: http.Server;
  readonly #admission: Admission;
  readonly #metrics: ProxyMetrics;
  readonly #connections = new WeakMap<Socket, MeteredConnection>();

  constructor(admission: Admission, metrics: ProxyMetrics) {
    this.#admission = admission;
    this.#metrics = metrics;
    this.#server = http.createServer({
      requestTimeout: 0,
      keepAliveTimeout: 60_000,
      insecureHTTPParser: true,
    });
    this.#server.on('request', (request, response) => void this.#onRequest(request, response));
    this.#server.on(
      'connect',
      (request, socket: Socket, head: Buffer) => void this.#onConnect(request, socket, head),
    );
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  serve(socket: Socket, connection: MeteredConnection): void {
    this.#connections.set(socket, connection);
    this.#server.emit('connection', socket);
  }

  close(): void {
    this.#server.close();
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await (await this.#admit(request)).carry(request, response);
      this.#metrics.request('http', 'carried');
    } catch (error) {
      const { status, headers, body } = refusalAnswer(error);
      this.#metrics.request('http', status);
      if (response.headersSent || response.destroyed) return void response.destroy();
      response.writeHead(status, headers).end(body);
    }
  }

  async #onConnect(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    try {
      const target = parseTarget(request.url ?? '');
      if (!target) throw new Refusal(400, 'CONNECT needs host:port');
      const upstream = await (await this.#admit(request)).tunnel(target);
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) socket.unshift(head);
      join(socket, upstream);
      this.#metrics.request('connect', 'carried');
    } catch (error) {
      const { status, headers, body } = refusalAnswer(error);
      this.#metrics.request('connect', status);
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(
        `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.join('')}connection: close\r\n\r\n${body}`,
      );
    }
  }

  #admit(request: IncomingMessage) {
    const connection = this.#connections.get(request.socket);
    if (!connection) throw new Error('a connection that is not metered');
    return this.#admission.admit(basicCredentials(request.headers['proxy-authorization']), connection);
  }
}

function basicCredentials(header: string | undefined): Credentials | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(header ?? '')?.[1];
  if (!encoded) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0
    ? { user: text, password: '' }
    : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

function refusalAnswer(error: unknown) {
  const refusal =
    error instanceof Refusal ? error : new Refusal(502, 'the proxy failed; try again', { cause: error });
  const body = `${refusal.message}\n`;
  const headers: Record<string, string> = {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    ...(refusal.status === 407 ? { 'proxy-authenticate': 'Basic realm="Turnpike"' } : {}),
  };
  return { status: refusal.status, headers, body };
}
