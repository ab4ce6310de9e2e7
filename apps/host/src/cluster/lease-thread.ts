import { Worker } from 'node:worker_threads';
import type { ClusterSettings } from '@turnpike/cluster/cluster-settings';
import {
  type Heartbeat,
  type HeartbeatAnswer,
  heartbeatMs,
  leaseMs,
} from '@turnpike/contract/host/heartbeat';
import type { Logger } from 'pino';

const minTryMs = 1000;

export interface LeaseThreadData extends ClusterSettings {
  gatewayUrls: readonly string[];
  heartbeatMs: number;
  leaseMs: number;
  /** How long one gateway may take to answer, at least. */
  minTryMs: number;
}

/** What the thread reports: the outcome of what it was given, or what was answered to a report that it sent again. */
export type FromLeaseThread =
  | ({ repeats: number } & ({ answer: HeartbeatAnswer } | { failure: string }))
  | { repeated: HeartbeatAnswer; agoMs: number; answeredAt: [number, number] };

export interface LeaseThreadOptions extends ClusterSettings {
  gatewayUrls: readonly string[];
  /** Told of a repeat's answer, and when by `performance.now()` that was sent. */
  onRepeated(answer: HeartbeatAnswer, sentAt: number): void;
  logger: Logger;
}

/**
 * The thread that sends a host's heartbeats (decision 0055). The main thread carries the work of all tenants and may be
 * held up. The host keeps its lease meanwhile, because this thread sends the last report again.
 */
export class LeaseThread implements AsyncDisposable {
  readonly #options: LeaseThreadOptions;
  #worker: Worker | undefined;
  #sending: PromiseWithResolvers<HeartbeatAnswer> | undefined;

  constructor(options: LeaseThreadOptions) {
    this.#options = options;
  }

  /** Sends one report; one at a time. Starts the thread if there is none, or if it has failed. */
  send(beat: Heartbeat): Promise<HeartbeatAnswer> {
    this.#sending = Promise.withResolvers();
    this.#worker ??= this.#start();
    this.#worker.postMessage(beat);
    return this.#sending.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const { secret, tls, gatewayUrls, logger } = this.#options;
    const workerData: LeaseThreadData = { secret, tls, gatewayUrls, heartbeatMs, leaseMs, minTryMs };
    const worker = new Worker(new URL('./lease-worker.ts', import.meta.url), {
      workerData,
      name: 'lease',
      execArgv: [],
      env: {},
      // Room for a report of ten thousand sessions.
      resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 },
    });
    worker.on('message', (message: FromLeaseThread) => this.#heard(message));
    worker.on('error', (error) => logger.error({ err: error }, 'the thread that sends heartbeats failed'));
    worker.on('exit', () => {
      this.#worker = undefined;
      this.#sending?.reject(new Error('the thread that sends heartbeats stopped'));
    });
    return worker;
  }

  #heard(message: FromLeaseThread): void {
    const { onRepeated, logger } = this.#options;
    if ('repeated' in message) {
      const [seconds, nanoseconds] = process.hrtime(message.answeredAt);
      const sentAgoMs = message.agoMs + seconds * 1000 + nanoseconds / 1e6;
      onRepeated(message.repeated, performance.now() - sentAgoMs);
      return;
    }
    const { repeats } = message;
    if (repeats > 0)
      logger.warn({ repeats }, 'the host was held up; its last report was sent again meanwhile');
    if ('answer' in message) this.#sending?.resolve(message.answer);
    else this.#sending?.reject(new Error(message.failure));
  }
}
