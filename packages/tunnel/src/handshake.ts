import type { Socket } from 'node:net';
import { ProxyError } from './proxy-error.ts';

const maxHeadBytes = 64 * 1024;

/** Exactly so many bytes; what comes after them stays in the socket. */
export async function readBytes(socket: Socket, count: number): Promise<Buffer> {
  for (;;) {
    const bytes = socket.read(count) as Buffer | null;
    if (bytes?.length === count) return bytes;
    if (bytes !== null) throw new ProxyError('closed the connection');
    await readable(socket);
  }
}

/** An HTTP message's head, up to and with the empty line; what comes after it stays in the socket. */
export async function readHead(socket: Socket): Promise<string> {
  let head = Buffer.alloc(0);
  for (;;) {
    const bytes = socket.read() as Buffer | null;
    if (bytes === null) {
      await readable(socket);
      continue;
    }
    head = Buffer.concat([head, bytes]);
    const end = head.indexOf('\r\n\r\n');
    if (end !== -1) {
      const rest = head.subarray(end + 4);
      if (rest.length > 0) socket.unshift(rest);
      return head.toString('latin1', 0, end + 4);
    }
    if (!'HTTP/1.'.startsWith(head.toString('latin1', 0, 7))) throw new ProxyError('does not speak HTTP');
    if (head.length > maxHeadBytes) throw new ProxyError('sent an answer without end');
  }
}

function readable(socket: Socket): Promise<void> {
  if (socket.errored) return Promise.reject(socket.errored);
  if (socket.readableEnded || socket.destroyed) return Promise.reject(closed(socket));
  return new Promise((resolve, reject) => {
    const settle = (failure?: Error) => {
      socket.off('readable', onReadable).off('end', onEnd).off('close', onEnd).off('error', settle);
      if (failure) reject(failure);
      else resolve();
    };
    const onReadable = () => settle();
    const onEnd = () => settle(socket.errored ?? closed(socket));
    socket.on('readable', onReadable).on('end', onEnd).on('close', onEnd).on('error', settle);
  });
}

function closed({ bytesRead }: Socket): ProxyError {
  return new ProxyError('closed the connection', { unanswered: bytesRead === 0 });
}
