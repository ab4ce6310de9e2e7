import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { createSocketPair, duplicate } from '../../native/libc.ts';

/** What Node has no public name for. */
interface Handle {
  fd: number;
  readStop(): void;
}

/** A client's connection as a descriptor, and what had been read from it. */
export interface TakenConnection {
  descriptor: number;
  firstBytes: Uint8Array;
}

/**
 * Takes a connection away from Node. With TLS, the connection stays with Node, and the descriptor is the other end of
 * a socket pair. Throws when the connection is closed.
 */
export function takeConnection(socket: Duplex, head: Buffer): TakenConnection {
  const parts = [head];
  for (let part = socket.read() as Buffer | null; part; part = socket.read()) parts.push(part);
  const firstBytes = new Uint8Array(Buffer.concat(parts));
  const descriptor = socket instanceof TLSSocket ? decrypted(socket) : takeDescriptor(socket);
  return { descriptor, firstBytes };
}

/** Duplicates a socket's descriptor and closes Node's own, so that no number has two owners. */
function takeDescriptor(socket: Duplex): number {
  const { _handle: handle } = socket as { _handle?: Handle | null };
  if (!handle || handle.fd < 0) throw new Error('The connection is closed');
  handle.readStop();
  const descriptor = duplicate(handle.fd);
  socket.destroy();
  return descriptor;
}

function decrypted(socket: TLSSocket): number {
  const [inner, descriptor] = createSocketPair();
  const plain = new Socket({ fd: inner, readable: true, writable: true, allowHalfOpen: true });
  socket.pipe(plain).pipe(socket, { end: false });
  plain.once('end', () => socket.destroySoon());
  plain.on('error', () => {}); // A close follows.
  plain.once('close', () => socket.destroy());
  socket.once('close', () => plain.destroy());
  return descriptor;
}
