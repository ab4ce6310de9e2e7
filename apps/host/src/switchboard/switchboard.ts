import { writeSync } from 'node:fs';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { createBell } from './libc.ts';
import type { CallerStart, Order, Report } from './orders.ts';
import type { ThreadData } from './thread.ts';

/** Who is behind a line: what happens on it that is not only between a client and its browser. */
export interface LineEnd {
  report(report: Extract<Report, { line: number }>): void;
}

export interface CallerEnd {
  report(report: Exclude<Report, { line: number }>): void;
}

const ring = new BigUint64Array([1n]);

/**
 * The thread that carries DevTools messages between browsers and their clients, from descriptor to descriptor, and
 * asks here only for what is not a mere passing on. There is one a process, from the first browser on.
 */
export class Switchboard {
  readonly #bell = createBell();
  readonly #port: MessagePort;
  readonly #lines = new Map<number, LineEnd>();
  readonly #callers = new Map<number, CallerEnd>();
  #orders: Order[] = [];
  #nextNumber = 1;

  private constructor() {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const workerData: ThreadData = { bell: this.#bell, orders: port2 };
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      ...{ workerData, transferList: [port2] },
      ...{ name: 'switchboard', execArgv: [], env: {} },
      // What it makes is little and soon gone: room for more would only be memory that it goes through.
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
    });
    worker.on('error', (error) => {
      throw error; // Every session hangs on it.
    });
    port1.on('message', (reports: Report[]) => {
      for (const report of reports) this.#report(report);
    });
    // It runs as long as there are browsers, and those have processes that are waited for.
    worker.unref();
    port1.unref();
    // A thread that waits for descriptors hears of nothing else, and the process waits for its threads.
    process.once('exit', () => {
      this.#orders.push({ do: 'stop' });
      this.#post();
    });
  }

  static #only: Switchboard | undefined;

  static get only(): Switchboard {
    Switchboard.#only ??= new Switchboard();
    return Switchboard.#only;
  }

  /** The descriptors of the browser's pipe are the thread's from here on. */
  open(end: LineEnd, start: Omit<Extract<Order, { do: 'open' }>, 'do' | 'line'>): number {
    const line = this.#nextNumber++;
    this.#lines.set(line, end);
    this.order({ do: 'open', line, ...start });
    return line;
  }

  /** The descriptor is the thread's from here on, until `drop`. */
  connect(line: number, end: CallerEnd, start: CallerStart): number {
    const caller = this.#nextNumber++;
    this.#callers.set(caller, end);
    this.order({ do: 'connect', line, caller, ...start });
    return caller;
  }

  /** Orders of one turn go out together. */
  order(order: Order): void {
    if (order.do === 'drop') this.#callers.delete(order.caller);
    this.#orders.push(order);
    if (this.#orders.length === 1) process.nextTick(() => this.#post());
  }

  #post(): void {
    this.#port.postMessage(this.#orders);
    this.#orders = [];
    writeSync(this.#bell, ring);
  }

  #report(report: Report): void {
    if (!('line' in report)) {
      this.#callers.get(report.caller)?.report(report);
      return;
    }
    const end = this.#lines.get(report.line);
    if (report.tell === 'ended') this.#lines.delete(report.line);
    end?.report(report);
  }
}
