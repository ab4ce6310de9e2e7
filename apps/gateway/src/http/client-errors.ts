import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorSpec, errors } from '@turnpike/contract/errors';
import { endSocket } from '@turnpike/tunnel/sockets/end-socket';

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
  endSocket(socket, writtenOut(byCode[error.code ?? ''] ?? errors.badRequest));
}

/** Tells whether the client went away before its request had come whole: nobody gets an answer. */
export const isCutOff = ({ destroyed, complete }: IncomingMessage): boolean => destroyed && !complete;

/** Writes an error as the bytes of a whole response, after which the connection closes. */
export function writtenOut({ status, message, code }: ErrorSpec): string {
  const body = JSON.stringify({ code, error: message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(code ? [`X-Error-Code: ${code}`] : []),
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
