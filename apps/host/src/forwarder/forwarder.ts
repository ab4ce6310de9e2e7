import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { join } from '@turnpike/tunnel/join';
import { PlainRequests } from '@turnpike/tunnel/plain-request';
import { ProxyError } from '@turnpike/tunnel/proxy-error';
import { parseTarget } from '@turnpike/tunnel/target';
import type { Upstream } from '@turnpike/tunnel/upstream';

/** As long as Chromium itself would wait. */
const defaultAnswerMs = 300_000;

/**
 * One browser's only way out: an HTTP proxy that passes everything on to the customer's proxy. When that
 * fails the page gets an error. Nothing here connects to anything else.
 */
export class Forwarder {
  readonly #sockets = new Set<Socket>();
  readonly #listeners: Server[] = [];
  readonly #server: http.Server;
  readonly #answerMs: number;
  #upstream: Upstream | undefined;
  #plain: PlainRequests | undefined;
  #closed = false;

  /** `answerMs`: for a plain request to be answered, without a byte either way. */
  constructor(answerMs = defaultAnswerMs) {
    this.#answerMs = answerMs;
    this.#server = http.createServer({
      requestTimeout: 0, // An upload takes what it takes.
      keepAliveTimeout: 300_000,
      maxHeaderSize: 256 * 1024,
      insecureHTTPParser: true,
    });
    this.#server.on('request', (request, response) => void this.#onRequest(request, response));
    this.#server.on('connect', (request, socket: Socket, head: Buffer) => {
      void this.#onConnect(request, socket, head);
    });
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  /** Until there is one, every request is refused; then there is never another. */
  bind(upstream: Upstream): void {
    if (this.#upstream) throw new Error('The forwarder has its proxy');
    this.#upstream = upstream;
    this.#plain = new PlainRequests(upstream, this.#answerMs);
  }

  /** Serves the connections of a listening socket that someone else made. */
  adopt(listener: Server): void {
    if (this.#closed) {
      listener.close();
      return;
    }
    this.#listeners.push(listener);
    listener.on('connection', (socket) => {
      this.#keep(socket);
      this.#server.emit('connection', socket);
    });
  }

  /** Breaks every connection off. */
  close(): void {
    this.#closed = true;
    for (const listener of this.#listeners) listener.close();
    this.#plain?.close();
    this.#server.close(); // Never listened; this ends its timers.
    for (const socket of this.#sockets) socket.destroy();
    this.#upstream?.close();
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (!this.#plain) throw new ProxyError('is not there yet');
      await this.#plain.carry(request, response);
    } catch (error) {
      if (response.headersSent || response.destroyed) return void response.destroy();
      const { status, text } = failureAnswer(error);
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
    }
  }

  async #onConnect(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    try {
      const target = parseTarget(request.url ?? '');
      if (!target) throw new ProxyError('was not asked: malformed target');
      if (!this.#upstream) throw new ProxyError('is not there yet');
      const upstream = await this.#upstream.tunnel(target);
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) socket.unshift(head);
      join(socket, upstream);
    } catch (error) {
      const { status, text } = failureAnswer(error);
      socket.end(
        `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`,
      );
    }
  }

  #keep(socket: Socket): void {
    socket.on('error', () => {}); // Whoever uses the socket hears it; nobody may be using it any more.
    if (this.#closed) return void socket.destroy();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

/** What a page may see: nothing that names the customer's proxy. */
function failureAnswer(error: unknown): { status: 502 | 504; text: string } {
  const timedOut = error instanceof ProxyError && error.timedOut;
  return timedOut
    ? { status: 504, text: 'The proxy did not answer in time.\n' }
    : { status: 502, text: 'The proxy could not carry this request.\n' };
}
