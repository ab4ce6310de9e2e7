import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorSpec, errors } from '@turnpike/contract/errors';
import { endSocket } from '@turnpike/process/end-socket';

const byCode: Record<string, ErrorSpec> = {
  HPE_HEADER_OVERFLOW: errors.headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: errors.requestTimeout,
};

/** Answers bytes that never became a request, in the form of every other error. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable) {
    // The refusal is being sent; what else the client sends is not read.
    if (!socket.writableEnded) socket.destroy();
    return;
  }
  const { status, message } = byCode[error.code ?? ''] ?? errors.badRequest;
  const body = JSON.stringify({ error: message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  endSocket(socket, `${head.join('\r\n')}\r\n\r\n${body}`);
}
