import type { Socket } from 'node:net';
import { abortable } from '@turnpike/process/abortable';
import type { Browser } from '../chromium/browser.ts';
import type { ConnectWorker } from '../sandbox/workers.ts';
import { bootProgram, type Program, sendProgram } from './program.ts';

/** Longer than any line that a worker sends. */
const maxLine = 1024;

/** Connections to DevTools that a worker may have: more than its clients need. Each costs the host a descriptor. */
const maxDevTools = 128;

export interface WorkerOptions {
  browser: Browser;
  program: Program;
  /** What the program is told. */
  options: Record<string, string>;
  /** Takes a connection on which the worker speaks to the browser's DevTools, in HTTP. */
  onDevTools(socket: Socket): void;
}

/** A process inside a session's sandbox that serves clients of one protocol. Whatever it sends is the session's. */
export class Worker {
  /** Resolves when it has ended, whatever ended it. */
  readonly ended: Promise<void>;
  readonly #control: Socket;
  readonly #connect: ConnectWorker;
  readonly #options: WorkerOptions;
  readonly #ready = Promise.withResolvers<void>();
  #read = '';
  #devtools = 0;

  private constructor(control: Socket, connect: ConnectWorker, options: WorkerOptions) {
    this.#control = control;
    this.#connect = connect;
    this.#options = options;
    this.#ready.promise.catch(() => {});
    control.setEncoding('utf8').on('data', (text: string) => this.#onText(text));
    this.ended = new Promise((resolve) => {
      control.once('close', () => {
        this.#ready.reject(new Error('The worker has ended'));
        resolve();
      });
    });
  }

  /** Resolves when it takes clients. */
  static async start(options: WorkerOptions, signal: AbortSignal): Promise<Worker> {
    const connect = await options.browser.startWorker(await bootProgram(), signal);
    const worker = new Worker(await connect(signal), connect, options);
    try {
      await abortable(sendProgram(worker.#control, options.program, options.options), signal);
      await abortable(worker.#ready.promise, signal);
      return worker;
    } catch (error) {
      worker.end();
      throw error;
    }
  }

  /** Opens a connection that the program takes for a client's. */
  async connectClient(signal: AbortSignal): Promise<Socket> {
    const socket = await this.#connect(signal);
    socket.write('client\n');
    return socket;
  }

  /** The process exits when this connection closes. */
  end(): void {
    this.#control.destroy();
  }

  #onText(text: string): void {
    const lines = (this.#read + text).split('\n');
    this.#read = lines.pop() ?? '';
    if (this.#read.length > maxLine) this.end();
    for (const line of lines) this.#onLine(line);
  }

  #onLine(line: string): void {
    const dial = /^\{"dial":(\d{1,9})\}$/.exec(line)?.[1];
    if (dial !== undefined) void this.#connectDevTools(dial).catch(() => this.end());
    else if (line === '{"ready":true}') this.#ready.resolve();
    else if (line.startsWith('{"failed":'))
      this.#ready.reject(new Error(`The worker did not start: ${line}`));
  }

  async #connectDevTools(dial: string): Promise<void> {
    this.#devtools += 1;
    if (this.#devtools > maxDevTools) throw new Error('The worker has too many connections');
    const socket = await this.#connect(AbortSignal.timeout(dialTimeoutMs));
    socket.once('close', () => (this.#devtools -= 1));
    socket.write(`devtools ${dial}\n`);
    this.#options.onDevTools(socket);
  }
}

const dialTimeoutMs = 10_000;
