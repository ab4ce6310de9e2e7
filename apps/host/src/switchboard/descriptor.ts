import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { createPair, createPipe, doNotWait, duplicate } from './libc.ts';

/** What Node has no public name for. */
interface Handle {
  fd: number;
  readStop(): void;
}

/** Descriptors of a DevTools pipe: the browser's, for its start, and the host's. */
export function createDevtools(): Record<'browser' | 'host', { input: number; output: number }> {
  const [input, output] = [createPipe(), createPipe()];
  for (const ours of [input.to, output.from]) doNotWait(ours);
  return {
    browser: { input: input.from, output: output.to },
    host: { input: input.to, output: output.from },
  };
}

/** A socket's descriptor, for somebody else: the socket is closed, and what it stood for stays open. */
function takeDescriptor(socket: Duplex): number {
  const { _handle: handle } = socket as { _handle?: Handle | null };
  if (!handle || handle.fd < 0) throw new Error('The connection is closed');
  handle.readStop();
  const descriptor = duplicate(handle.fd);
  socket.destroy();
  return descriptor;
}

/**
 * The descriptor of a connection, and what had been read from it. One with TLS is read and written here, and the
 * descriptor is the other end of that.
 */
export function takeConnection(socket: Duplex, head: Buffer): { descriptor: number; first: Uint8Array } {
  const parts = [head];
  for (let part = socket.read() as Buffer | null; part; part = socket.read()) parts.push(part);
  const first = new Uint8Array(Buffer.concat(parts));
  if (!(socket instanceof TLSSocket)) return { descriptor: takeDescriptor(socket), first };
  const [inner, descriptor] = createPair();
  const plain = new Socket({ fd: inner, readable: true, writable: true, allowHalfOpen: true });
  socket.pipe(plain).pipe(socket, { end: false });
  plain.once('end', () => socket.destroySoon());
  plain.on('error', () => {}); // A close follows.
  plain.once('close', () => socket.destroy());
  socket.once('close', () => plain.destroy());
  return { descriptor, first };
}
