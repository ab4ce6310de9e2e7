import type { FileHandle } from 'node:fs/promises';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connectBelow, openBelow } from './open-directory.ts';

/** Below the home directory: the sockets of the workers. */
const workerSockets = 'workers';

/** Connects to a worker. Rejects when it has ended. */
export type ConnectWorker = (signal: AbortSignal) => Promise<Socket>;

/**
 * Starts workers, which are Node processes inside a sandbox: with its namespaces, its user and its control group. Inside
 * waits a shell that starts one for each line on its descriptor. A line is the path of a worker's socket, and its program
 * as a `data:` URL. The worker writes the path to the same descriptor when it listens.
 */
export class Workers {
  readonly #channel: Duplex;
  readonly #home: string;
  readonly #connect: (name: string, signal: AbortSignal) => Promise<Socket>;
  readonly #starting = new Map<string, () => void>();
  #count = 0;
  #read = '';

  /** `home` is the home directory as the workers see it. */
  constructor(
    channel: Duplex,
    home: string,
    connect: (name: string, signal: AbortSignal) => Promise<Socket>,
  ) {
    this.#channel = channel;
    this.#home = home;
    this.#connect = connect;
    channel.setEncoding('latin1').on('data', (text: string) => this.#onText(text));
  }

  /** Resolves when the worker listens. Rejects when the signal aborts. `program` is a module of plain JavaScript. */
  async start(program: string, signal: AbortSignal): Promise<ConnectWorker> {
    signal.throwIfAborted();
    this.#count += 1;
    const name = String(this.#count);
    const path = `${this.#home}/${workerSockets}/${name}`;
    const listening = Promise.withResolvers<void>();
    const onAbort = () => listening.reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#starting.set(path, listening.resolve);
    this.#channel.write(`${path} data:text/javascript;base64,${Buffer.from(program).toString('base64')}\n`);
    try {
      await listening.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#starting.delete(path);
    }
    return (connectSignal) => this.#connect(name, connectSignal);
  }

  #onText(text: string): void {
    const lines = (this.#read + text).split('\n');
    this.#read = (lines.pop() ?? '').slice(-maxLine);
    for (const line of lines) this.#starting.get(line)?.();
  }
}

/** Longer than a worker's path. What is longer is dropped. */
const maxLine = 4096;

/** Connects to a worker's socket below the home directory. */
export async function connectWorker(home: FileHandle, name: string, signal: AbortSignal): Promise<Socket> {
  await using sockets = await openBelow(home, workerSockets);
  return await connectBelow(sockets, name, signal);
}
