import { once } from 'node:events';
import { isIP, type Server, type Socket } from 'node:net';
import { distantAddress } from './namespace.ts';

/** A customer's SOCKS5 proxy (RFC 1928) that notes what it is asked for and connects to nothing. */
export class SocksProxy {
  readonly port: number;
  /** As `name:port` or `address:port`. */
  readonly asked: string[] = [];
  connections = 0;
  readonly unauthorised = 0;
  readonly #listener: Server;
  readonly #open = new Set<Socket>();

  constructor(listener: Server) {
    this.#listener = listener;
    const address = listener.address();
    if (address === null || typeof address === 'string') throw new Error('not listening on TCP');
    this.port = address.port;
    listener.on('connection', (socket: Socket) => {
      this.connections += 1;
      this.#open.add(socket);
      socket.on('error', () => {}).on('close', () => this.#open.delete(socket));
      void this.#converse(socket);
    });
  }

  url(scheme: 'socks5' | 'socks5h'): string {
    return `${scheme}://${distantAddress}:${this.port}`;
  }

  close(): void {
    this.#listener.close();
    for (const socket of this.#open) socket.destroy();
  }

  async #converse(socket: Socket): Promise<void> {
    await once(socket, 'data');
    socket.write(Buffer.from([5, 0]));
    const [request] = (await once(socket, 'data')) as [Buffer];
    this.asked.push(readTarget(request));
    socket.end(Buffer.from([5, 2, 0, 1, 0, 0, 0, 0, 0, 0])); // Not allowed.
  }
}

function readTarget(request: Buffer): string {
  const isName = request[3] === 3;
  const host = isName ? request.toString('latin1', 5, request.length - 2) : request.subarray(4, -2).join('.');
  return `${host}:${request.readUInt16BE(request.length - 2)}${isName && isIP(host) ? ' (as a name)' : ''}`;
}
