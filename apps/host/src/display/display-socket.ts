import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A descriptor that names a file without opening it; Node has no constant for it. */
const O_PATH = 0o10000000;

/** A display as the host sees it: whoever connects speaks RFB with its X server. */
export interface Display {
  connect(): Socket;
}

/**
 * The way from the host to one display. The host makes the listening socket and gives it to the X server, which
 * accepts on it from inside its sandbox. The socket's file is gone before the server starts: only the host, which
 * still holds the file's descriptor, can connect, and nothing inside can put another file in its place.
 */
export class DisplaySocket implements Display, Disposable {
  readonly #server: Server;
  readonly #file: number;
  #isOpen = true;

  private constructor(server: Server, file: number) {
    this.#server = server;
    this.#file = file;
  }

  /** In one go: a host that is killed leaves no directory behind. A pipe is bound as soon as `listen` returns. */
  static make(): DisplaySocket {
    const directory = mkdtempSync(join(tmpdir(), 'turnpike-display-'));
    try {
      const path = join(directory, 'rfb');
      const server = createServer().listen(path);
      server.on('error', () => {}); // Without a file there is nothing to open below, which says it.
      return new DisplaySocket(server, openSync(path, O_PATH));
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }

  /** The listening socket, for the X server to inherit. */
  get descriptor(): number {
    // Node takes a listening socket's number for a child, but has no public name for it.
    return (this.#server as unknown as { _handle: { fd: number } })._handle.fd;
  }

  /** The X server has it: the host no longer listens itself. */
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
