import type { Duplex } from 'node:stream';

/** How long a client that is still sending is read: closed at once, its connection would be reset before it reads the answer. */
const lingerMs = 1000;

/**
 * Sends the last bytes of a connection and closes it. What the client still sends is read and dropped: a socket with
 * unread bytes never ends by itself where half-open connections are allowed.
 */
export function endSocket(socket: Duplex, lastBytes: string | Buffer): void {
  socket.end(lastBytes);
  socket.resume();
  const linger = setTimeout(() => socket.destroy(), lingerMs);
  linger.unref();
  socket.once('close', () => clearTimeout(linger));
}
