import http, { type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { endSocket } from '@turnpike/tunnel/sockets/end-socket';
import { BrowserTimeout } from '../chromium/controller.ts';
import type { DiscoveryAnswer } from './discovery.ts';
import { TooManyClients } from './relay.ts';

export type Answer = DiscoveryAnswer;

export const textAnswer = (status: number, code: string, text: string): Answer => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: `${text}\n`,
  headers: { 'x-error-code': code },
});
export const notFound = textAnswer(404, 'NOT_FOUND', 'Not Found');
const tooMany = textAnswer(
  503,
  'TOO_MANY_CONNECTIONS',
  'The session has as many connections as it may have. Close one first.',
);
const timedOut = textAnswer(
  504,
  'BROWSER_TIMEOUT',
  'The browser did not answer in time. Try again, or close the session.',
);

/** Returns the answer to a request that the browser did not answer. */
export function unanswered(error: unknown): Answer {
  if (error instanceof BrowserTimeout) return timedOut;
  if (error instanceof TooManyClients) return tooMany;
  return notFound; // The browser went away in the meantime, or has no such target.
}

export function send(response: ServerResponse, { status, body, type, headers }: Answer): void {
  const own = {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  };
  response.writeHead(status, { ...own, ...headers }).end(body);
}

/** Answers a request to upgrade, and closes its connection. */
export function refuse(socket: Duplex, { status, type, body, headers = {} }: Answer): void {
  endSocket(
    socket,
    [
      `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
      `Content-Type: ${type}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      'Connection: close',
      `\r\n${body}`,
    ].join('\r\n'),
  );
}
