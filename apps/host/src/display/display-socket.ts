import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Opens a path without opening its file. Node has no constant for it. */
const O_PATH = 0o10000000;

/** A browser's display. Connections speak RFB with its X server. */
export interface Display {
  connect(): Socket;
}

/**
 * The host's connection to one display. The host creates the listening socket and passes it to the X server, which
 * accepts connections inside its sandbox. The socket's file is deleted before the server starts. Only the host, which
 * keeps a descriptor of the file, can connect, and nothing in the sandbox can replace the file.
 */
export class DisplaySocket implements Display, Disposable {
  readonly #server: Server;
  readonly #file: number;
  #isOpen = true;

  private constructor(server: Server, file: number) {
    this.#server = server;
    this.#file = file;
  }

  /** Synchronous, so that a host that is killed leaves no directory. The socket is bound when `listen` returns. */
  static create(): DisplaySocket {
    const directory = mkdtempSync(join(tmpdir(), 'turnpike-display-'));
    try {
      const path = join(directory, 'rfb');
      const server = createServer().listen(path);
      server.on('error', () => {}); // If it was not bound, `openSync` below throws.
      return new DisplaySocket(server, openSync(path, O_PATH));
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }

  /** The listening socket, for the X server to inherit. */
  get descriptor(): number {
    // Node passes a listening socket to a child by its descriptor, but has no public property for that.
    return (this.#server as unknown as { _handle: { fd: number } })._handle.fd;
  }

  /** The X server has inherited the socket: the host stops listening. */
  handedOver(): void {
    this.#server.close();
  }

  connect(): Socket {
    if (!this.#isOpen) throw new Error('The display is gone');
    return connect(`/proc/self/fd/${this.#file}`);
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.#server.listening) this.#server.close();
    closeSync(this.#file);
  }
}
