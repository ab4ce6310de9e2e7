import { Worker } from 'node:worker_threads';
import type { PageAnswer } from '@turnpike/contract/page/page-call';
import type { Logger } from 'pino';
import type { FromPageThread, PageThreadData, ThreadCall, ToPageThread } from './thread-messages.ts';

export interface PageThreadOptions extends PageThreadData {
  logger: Pick<Logger, 'error'>;
}

/** Without the buffers of answers, which are limited by themselves. */
const maxHeapMiB = 512;

/**
 * The thread that drives the pages of all page calls (decision 0065). It starts with the first call, and again after it
 * has failed. Calls that were under way then are answered with an error.
 */
export class PageThread implements AsyncDisposable {
  readonly #options: PageThreadOptions;
  readonly #pending = new Map<number, (answer: PageAnswer) => void>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(options: PageThreadOptions) {
    this.#options = options;
  }

  /** Resolves with an answer in any case, also when the signal cancels the call. */
  call(call: Omit<ThreadCall, 'id'>, signal: AbortSignal): Promise<PageAnswer> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<PageAnswer>();
    this.#pending.set(id, resolve);
    this.#worker ??= this.#start();
    this.#post({ id, ...call });
    const cancel = () => this.#post({ id, cancel: true });
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    return promise.finally(() => signal.removeEventListener('abort', cancel));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.terminate();
  }

  #post(message: ToPageThread): void {
    this.#worker?.postMessage(message);
  }

  #start(): Worker {
    const { socketPath, blockLists, logger } = this.#options;
    const worker = new Worker(new URL('./page-worker.ts', import.meta.url), {
      workerData: { socketPath, blockLists } satisfies PageThreadData,
      name: 'page',
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMiB },
    });
    worker.unref();
    worker.on('message', ({ id, answer }: FromPageThread) => this.#answered(id, answer));
    worker.on('error', (error) => logger.error({ err: error }, 'the thread of page calls failed'));
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const id of [...this.#pending.keys()]) this.#answered(id, failedAnswer);
    });
    return worker;
  }

  #answered(id: number, answer: PageAnswer): void {
    this.#pending.get(id)?.(answer);
    this.#pending.delete(id);
  }
}

const failedAnswer: PageAnswer = {
  report: { url: '', timings: { total: 0 }, consoleErrors: [], failedRequests: [], warnings: [] },
  error: { code: 'PAGE_FAILED', message: 'The host could not finish the call. Try again.' },
};
