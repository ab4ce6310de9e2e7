import { writeSync } from 'node:fs';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { close, createBell, shutdown, write } from './libc.ts';
import {
  type CallerReport,
  type CallerStart,
  callerCounters,
  type LineReport,
  type LineStart,
  type Order,
  type Report,
  transferred,
} from './orders.ts';
import type { ThreadData } from './thread.ts';

/** Who is behind a line: what happens on it that is not only between a client and its browser. */
export interface LineEnd {
  report(report: LineReport): void;
}

export interface CallerEnd {
  report(report: CallerReport): void;
}

/** Told of errors that ended one session or one client, or the thread and all its sessions. */
export type OnFault = (error: string, isThread: boolean) => void;

const ring = new BigUint64Array([1n]);
const ofWriting = 1;

/**
 * The thread that carries DevTools messages between browsers and their clients, from descriptor to descriptor, and
 * asks here only for what is not a mere passing on. There is one a process, from the first browser on. Should it die,
 * its sessions end, and the next browser gets a new one.
 */
export class Switchboard {
  static #only: Switchboard | undefined;
  static #nextNumber = 1;
  static readonly #listeners = new Set<OnFault>();

  static get only(): Switchboard {
    Switchboard.#only ??= new Switchboard();
    return Switchboard.#only;
  }

  /** Until what it answers is called. */
  static onFault(listener: OnFault): () => void {
    Switchboard.#listeners.add(listener);
    return () => void Switchboard.#listeners.delete(listener);
  }

  readonly #bell = createBell();
  readonly #port: MessagePort;
  readonly #lines = new Map<number, { end: LineEnd; descriptors: readonly number[] }>();
  readonly #callers = new Map<number, { end: CallerEnd } & Pick<CallerStart, 'descriptor' | 'counters'>>();
  #orders: Order[] = [];
  #isDead = false;

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
    let cause = 'The thread of the DevTools messages stopped';
    worker.on('error', (error) => {
      cause = (error as Error).stack ?? String(error);
    });
    worker.on('exit', () => this.#died(cause));
    port1.on('message', (reports: Report[]) => {
      for (const report of reports) this.#reportAlone(report);
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

  /** The descriptors of the browser's pipe are the thread's from here on. */
  open(end: LineEnd, start: LineStart): number {
    const line = Switchboard.#nextNumber++;
    this.#lines.set(line, { end, descriptors: [start.input, start.output] });
    this.order({ do: 'open', line, ...start });
    return line;
  }

  /** The descriptor is the thread's from here on, until `drop`. */
  connect(line: number, end: CallerEnd, start: CallerStart): number {
    const caller = Switchboard.#nextNumber++;
    const { descriptor, counters } = start;
    this.#callers.set(caller, { end, descriptor, counters });
    this.order({ do: 'connect', line, caller, ...start });
    return caller;
  }

  /** Orders of one turn go out together. */
  order(order: Order): void {
    if (this.#isDead) {
      this.#carryOutAfterDeath(order);
      return;
    }
    if (order.do === 'drop') this.#callers.delete(order.caller);
    this.#orders.push(order);
    if (this.#orders.length === 1) process.nextTick(() => this.#post());
  }

  #post(): void {
    const orders = this.#orders;
    this.#orders = [];
    if (this.#isDead) {
      for (const order of orders) this.#carryOutAfterDeath(order);
      return;
    }
    this.#port.postMessage(orders, transferred(orders));
    writeSync(this.#bell, ring);
  }

  /** What fails here ends the session or the client that the report is about. */
  #reportAlone(report: Report): void {
    try {
      this.#report(report);
    } catch (error) {
      fault(Switchboard.#listeners, (error as Error).stack ?? String(error), false);
      if ('line' in report) this.order({ do: 'cut', line: report.line });
      else if ('caller' in report) this.order({ do: 'drop', caller: report.caller });
    }
  }

  #report(report: Report): void {
    if (report.tell === 'fault') fault(Switchboard.#listeners, report.error, false);
    else if ('line' in report) {
      const end = this.#lines.get(report.line)?.end;
      if (report.tell === 'ended') this.#lines.delete(report.line);
      end?.report(report);
    } else this.#callers.get(report.caller)?.end.report(report);
  }

  /** Its browsers are ended by those who have them; clients are told where nothing was left half written. */
  #died(cause: string): void {
    if (this.#isDead) return;
    this.#isDead = true;
    if (Switchboard.#only === this) Switchboard.#only = undefined;
    this.#port.close();
    close(this.#bell);
    fault(Switchboard.#listeners, cause, true);
    for (const [line, { descriptors }] of this.#lines) {
      for (const descriptor of descriptors) close(descriptor);
      this.#reportAlone({ tell: 'ended', line });
    }
  }

  #carryOutAfterDeath(order: Order): void {
    if (order.do === 'open') {
      for (const descriptor of [order.input, order.output]) close(descriptor);
      this.#reportAlone({ tell: 'ended', line: order.line });
      return;
    }
    const caller = 'caller' in order ? this.#callers.get(order.caller) : undefined;
    if (!caller || !('caller' in order)) return;
    const { descriptor, counters } = caller;
    if (order.do === 'write' && counters[callerCounters.isPending] === 0) {
      write(descriptor, order.bytes, order.bytes.length);
    } else if (order.do === 'end') shutdown(descriptor, ofWriting);
    else if (order.do === 'drop') {
      this.#callers.delete(order.caller);
      close(descriptor);
    }
  }
}

function fault(listeners: Iterable<OnFault>, error: string, isThread: boolean): void {
  for (const listener of listeners) listener(error, isThread);
}
