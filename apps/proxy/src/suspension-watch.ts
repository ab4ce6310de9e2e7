import type { MeterBackend } from '@turnpike/contract/bandwidth';
import type { Logger } from 'pino';
import type { Clients } from './clients.ts';

/** An open tunnel of an account that was suspended lasts about twice this long. */
const defaultIntervalMs = 400;

/** Cuts what a suspended account has open. While the store cannot be asked, everything stays as it was. */
export class SuspensionWatch {
  readonly #backend: MeterBackend;
  readonly #clients: Clients;
  readonly #logger: Logger;
  readonly #timer: NodeJS.Timeout;
  #isAsking = false;

  constructor(backend: MeterBackend, clients: Clients, logger: Logger, intervalMs = defaultIntervalMs) {
    this.#backend = backend;
    this.#clients = clients;
    this.#logger = logger;
    this.#timer = setInterval(() => void this.#look(), intervalMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const { accountIds } = this.#clients;
    if (this.#isAsking || accountIds.length === 0) return;
    this.#isAsking = true;
    try {
      for (const accountId of await this.#backend.refused(accountIds)) this.#clients.cut(accountId);
    } catch (error) {
      this.#logger.warn({ err: error }, 'suspended accounts could not be looked up; trying again');
    } finally {
      this.#isAsking = false;
    }
  }
}
