import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Cuts off a client that does not read its answer: for `stallMs` it took nothing of what waits for it. One that reads
 * slowly has all the time that it needs, and so has an answer that is not made yet.
 */
export function cutOffStalledReaders(server: Server, stallMs: number): void {
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    socket.setTimeout(stallMs);
    // Node emits it when no byte was sent or received for that long, and leaves the rest to the listener.
    response.on('timeout', (silent: Socket) => {
      if (silent.writableLength > 0) silent.destroy();
      else silent.setTimeout(stallMs);
    });
  });
}
