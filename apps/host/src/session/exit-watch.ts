import { within } from '@turnpike/process/within';
import { probeExit } from '@turnpike/tunnel/exit/exit-probe';
import type { Logger } from 'pino';
import type { SessionTraffic } from '../forwarder/session-traffic.ts';
import { probeTimeoutMs } from './check-proxy.ts';

export interface ExitWatchOptions {
  traffic: SessionTraffic;
  probeUrl: URL;
  intervalMs: number;
  /** Whether nothing is carried any more once the address has changed. */
  stops: boolean;
  logger: Logger;
}

/** Reads at an interval where the session's proxy comes out. An address that cannot be read is not a changed one. */
export class ExitWatch implements Disposable {
  readonly #options: ExitWatchOptions;
  readonly #end = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ExitWatchOptions) {
    this.#options = options;
    this.#wait();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#end.abort();
  }

  #wait(): void {
    if (this.#end.signal.aborted) return;
    this.#timer = setTimeout(() => void this.#look().then(() => this.#wait()), this.#options.intervalMs);
  }

  async #look(): Promise<void> {
    const { traffic, probeUrl, stops, logger } = this.#options;
    // What may not be carried any more is not asked for either.
    if (traffic.refusal) return;
    const { own } = traffic;
    using bounds = within(probeTimeoutMs, this.#end.signal);
    try {
      const exit = await probeExit(own.upstream, probeUrl, bounds.signal);
      // The proxy may have been changed in the meantime.
      if (traffic.own !== own || !own.record.cameOutAt(exit)) return;
      logger.info({ stops }, 'the exit address of the proxy has changed');
      if (stops) traffic.stop();
    } catch (error) {
      logger.debug({ reason: (error as Error).message }, 'exit of the proxy not found');
    }
  }
}
