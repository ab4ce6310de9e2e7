import { writeSync } from 'node:fs';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { ThreadWatcher } from '@turnpike/process/work/watchdog';
import { close, createEvent } from '../../native/libc.ts';
import type { Report } from '../reports.ts';
import { newWorkWords } from '../turns.ts';
import {
  type RunLoop,
  type ThreadCommand,
  type ThreadData,
  type ThreadStarted,
  transferList,
} from './thread-messages.ts';

const one = new BigUint64Array([1n]);

/** Usually it takes a fraction of a millisecond. */
const maxStopMs = 1000;

export interface ThreadListener {
  onReports(reports: readonly Report[]): void;
  /** The thread was interrupted, because work for this pipe held it for too long. Its loop runs on. */
  onStalled(pipeId: number): void;
  /** The thread is gone, by itself or because it was stopped. */
  onExit(cause: string): void;
}

export interface ThreadOptions {
  watcher: ThreadWatcher;
  /** What the thread runs; tests name another. */
  program?: URL | undefined;
}

const ownProgram = new URL('./thread.ts', import.meta.url);

/** One thread that carries DevTools messages, as the host's thread sees it. */
export class SwitchboardThread {
  /** Resolves when the thread is gone. */
  readonly exited: Promise<void>;
  readonly #wakeDescriptor = createEvent();
  readonly #port: MessagePort;
  readonly #worker: Worker;
  readonly #isStopped = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  /** Node would wait until the thread is back from its system call, which can take seconds. */
  readonly #stopAtExit = () => {
    this.stop();
    Atomics.wait(this.#isStopped, 0, 0, maxStopMs);
  };
  #watch: Disposable | undefined;
  /** Commands that go out with the next post; undefined when the thread is gone. */
  #commands: ThreadCommand[] | undefined = [];

  constructor(
    { onReports, onStalled, onExit }: ThreadListener,
    { watcher, program = ownProgram }: ThreadOptions,
  ) {
    const workWords = newWorkWords();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const workerData: ThreadData = {
      wakeDescriptor: this.#wakeDescriptor,
      port: port2,
      isStopped: this.#isStopped,
      workWords,
    };
    const worker = new Worker(program, {
      workerData,
      transferList: [port2],
      name: 'switchboard',
      execArgv: [],
      env: {},
      // It allocates little, and briefly. A larger young generation would only be more memory to walk through.
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
    });
    this.#worker = worker;
    worker.on('message', ({ kernelThreadId }: ThreadStarted) => {
      const { threadId } = worker;
      this.#watch = watcher.watch({ threadId, kernelThreadId, workWords }, (stalledPipeId) => {
        onStalled(stalledPipeId);
        worker.postMessage({ stalledPipeId } satisfies RunLoop);
      });
      worker.postMessage({} satisfies RunLoop);
    });
    let cause = 'The thread stopped';
    worker.on('error', (error) => {
      cause = (error as Error).stack ?? String(error);
    });
    port1.on('message', onReports);
    this.exited = new Promise((resolve) => {
      worker.on('exit', () => {
        // What it closed before it went must not be closed again.
        for (let last = receiveMessageOnPort(port1); last; last = receiveMessageOnPort(port1)) {
          onReports(last.message);
        }
        this.#clear();
        onExit(cause);
        resolve();
      });
    });
    // Browsers keep the process alive, not the thread.
    worker.unref();
    port1.unref();
    process.once('exit', this.#stopAtExit);
  }

  /** Posts the commands of one turn of the event loop together. */
  post(command: ThreadCommand): void {
    if (this.#commands?.push(command) === 1) process.nextTick(() => this.#flush());
  }

  stop(): void {
    this.#worker.ref();
    this.#commands?.push({ type: 'stop' });
    this.#flush();
  }

  #flush(): void {
    const commands = this.#commands;
    if (!commands || commands.length === 0) return;
    this.#commands = [];
    this.#port.postMessage(commands, transferList(commands));
    writeSync(this.#wakeDescriptor, one);
  }

  #clear(): void {
    this.#commands = undefined;
    this.#watch?.[Symbol.dispose]();
    this.#port.close();
    close(this.#wakeDescriptor);
    process.off('exit', this.#stopAtExit);
  }
}
