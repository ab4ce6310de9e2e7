import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { isInterruptible } from './interruptible.ts';
import { readThreadTime } from './thread-time.ts';
import {
  type CurrentWork,
  currentWorkSymbol,
  type FromWatchdog,
  type ThreadToWatch,
  type ToWatchdog,
  type WatchdogData,
} from './watchdog-messages.ts';
import { currentWork, recoverFromInterruption, type WorkOwner } from './work.ts';

type OnStalled = (ownerId: number, ms: number) => void;

/** Watches threads beside the main one. */
export interface ThreadWatcher {
  /** Interrupts the thread when it has been at one owner's work for a second. Until it is disposed of. */
  watch(thread: ThreadToWatch, onStalled: OnStalled): Disposable;
}

/** For tests: watches nothing. */
export const unwatched: ThreadWatcher = { watch: () => ({ [Symbol.dispose]: () => {} }) };

/**
 * Ends whoever holds a thread that works for many. A thread of its own looks at the main thread and at those that are
 * named to it. Work that does not come back within a second is interrupted, and its owner is ended (decision 0050).
 */
export class Watchdog implements ThreadWatcher, AsyncDisposable {
  readonly #logger: Logger;
  readonly #stalls: Counter<'thread'>;
  readonly #onStalled = new Map<number, OnStalled>();
  readonly #pong = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #worker: Worker;
  /** Whom the main thread worked for when it was last looked at. */
  #suspect: WorkOwner | undefined;

  constructor(logger: Logger, registry: Registry) {
    this.#logger = logger;
    this.#stalls = new Counter({
      name: 'turnpike_stalls_total',
      help: 'Work of one session, request or connection that held a thread for a second and was interrupted.',
      labelNames: ['thread'],
      registers: [registry],
    });
    for (const thread of ['main', 'switchboard']) this.#stalls.inc({ thread }, 0);
    if (!readThreadTime(process.pid)?.ranMs) {
      logger.warn(
        'the kernel does not count the time of threads (CONFIG_SCHED_INFO), so no stall can be seen',
      );
    }
    // The kernel's id of a process is that of its main thread.
    const workerData: WatchdogData = {
      mainKernelThreadId: process.pid,
      pong: this.#pong,
      interruptsMain: isInterruptible(),
    };
    this.#worker = new Worker(new URL('./watchdog-thread.ts', import.meta.url), {
      workerData,
      name: 'watchdog',
      execArgv: [],
      env: {},
      resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 },
    });
    this.#worker.on('message', (message: FromWatchdog) => this.#onMessage(message));
    this.#worker.on('error', (error) => logger.fatal({ err: error }, 'the watchdog died'));
    this.#worker.unref();
    Object.defineProperty(globalThis, currentWorkSymbol, { configurable: true, value: () => this.#look() });
  }

  watch(thread: ThreadToWatch, onStalled: OnStalled): Disposable {
    const { threadId } = thread;
    this.#onStalled.set(threadId, onStalled);
    this.#post({ type: 'watch', thread });
    return {
      [Symbol.dispose]: () => {
        this.#onStalled.delete(threadId);
        this.#post({ type: 'forget', threadId });
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    Reflect.deleteProperty(globalThis, currentWorkSymbol);
    await this.#worker.terminate();
  }

  #post(message: ToWatchdog): void {
    this.#worker.postMessage(message);
  }

  /** Runs in the middle of the main thread's work. */
  #look(): CurrentWork {
    const { owner, piece } = currentWork();
    this.#suspect = owner;
    return `${piece} ${owner ? 'owned' : 'nobody'}`;
  }

  #onMessage(message: FromWatchdog): void {
    if (message.type === 'ping') this.#pong[0] = message.number;
    else if (message.type === 'threadStalled') this.#onThreadStalled(message);
    else if (message.type === 'mainStalled') this.#onMainStalled(message.ms);
    else
      this.#logger.warn({ ms: Math.round(message.ms) }, 'the main thread is held up, and by nobody’s work');
  }

  #onThreadStalled({ threadId, ownerId, ms }: Extract<FromWatchdog, { type: 'threadStalled' }>): void {
    this.#stalls.inc({ thread: 'switchboard' });
    this.#logger.fatal(
      { ms: Math.round(ms) },
      'work for a session held the thread for DevTools messages for a second; the session ends as stalled',
    );
    this.#onStalled.get(threadId)?.(ownerId, ms);
  }

  #onMainStalled(ms: number): void {
    const owner = this.#suspect;
    this.#suspect = undefined;
    recoverFromInterruption();
    this.#stalls.inc({ thread: 'main' });
    this.#logger.fatal(
      { owner: owner?.workName, ms: Math.round(ms) },
      'work held the main thread for a second; it was interrupted, and its owner is ended',
    );
    owner?.onStalled();
  }
}
