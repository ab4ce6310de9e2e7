import { STATUS_CODES } from 'node:http';
import { formatHead, parseRequestHead, type RequestHead } from './http/http-head.ts';
import { BadMessage } from './http/http-headers.ts';
import { readHead } from './read-head.ts';
import type { Connection } from './sockets/connection.ts';

export interface HttpLimits {
  /** From a head's first byte to its last; for the first request, from the start of the connection. */
  headMs: number;
  /** Between two requests. */
  idleMs: number;
  maxHeadBytes: number;
}

export interface HttpHandler {
  /** Called before a request is read. */
  beforeRequest?(): Promise<void> | void;
  /** Handles CONNECT. The handler then owns the connection. */
  onConnect(request: RequestHead): Promise<void>;
  /** Handles any other request. Resolves with whether another may follow. */
  onRequest(request: RequestHead): Promise<boolean>;
}

/**
 * Serves an HTTP/1 client, one request at a time. The next request is read after the response is complete, so
 * pipelined requests wait in the client's own connection.
 */
export async function serveHttp(
  client: Connection,
  handler: HttpHandler,
  { headMs, idleMs, maxHeadBytes }: HttpLimits,
): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    await handler.beforeRequest?.();
    if (!isFirst && !(await hasMore(client, idleMs))) return client.close();
    let request: RequestHead;
    try {
      using _deadline = client.deadline(headMs);
      const head = await readHead(client, maxHeadBytes);
      if (head === undefined) return client.close();
      if (head === 'too-long') {
        const headers = ['X-Error-Code', 'HEADERS_TOO_LARGE'];
        return answer(client, {
          status: 431,
          text: 'The request head is too long.\n',
          headers,
          keeps: false,
        });
      }
      // Requests may be sent ahead: a client that does so waits for its time, not others for the client.
      const wait = client.slice.next();
      if (wait) await wait;
      request = parseRequestHead(head.toString('latin1'));
    } catch (error) {
      if (!(error instanceof BadMessage)) throw error;
      const headers = ['X-Error-Code', 'BAD_REQUEST'];
      return answer(client, { status: 400, text: `${error.message}\n`, headers, keeps: false });
    }
    if (request.method === 'CONNECT') return handler.onConnect(request);
    if (!(await handler.onRequest(request))) return client.close();
  }
}

async function hasMore(client: Connection, idleMs: number): Promise<boolean> {
  client.idleTimeout(idleMs);
  const bytes = await client.peek();
  client.idleTimeout(0);
  return bytes !== undefined;
}

export interface TextAnswer {
  status: number;
  text: string;
  headers?: readonly string[];
  /** Whether another request may follow; otherwise the connection is closed. */
  keeps: boolean;
}

/** Sends a text response. */
export async function answer(
  client: Connection,
  { status, text, headers = [], keeps }: TextAnswer,
): Promise<void> {
  const head = formatHead(`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, [
    ...['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', `${Buffer.byteLength(text)}`],
    ...headers,
    ...(keeps ? [] : ['Connection', 'close']),
  ]);
  await client.write(Buffer.from(head + text));
  if (!keeps) client.close();
}
