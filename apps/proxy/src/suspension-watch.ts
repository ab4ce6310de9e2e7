import type { MeterBackend } from '@turnpike/contract/bandwidth';
import type { Logger } from 'pino';
import type { Clients } from './clients.ts';

/** A suspended account's connections are closed after at most about twice this time. */
const defaultIntervalMs = 400;

/** Closes the connections of suspended accounts. While the store cannot be reached, they stay open. */
export class SuspensionWatch {
  readonly #backend: MeterBackend;
  readonly #clients: Clients;
  readonly #logger: Logger;
  readonly #timer: NodeJS.Timeout;
  #isChecking = false;

  constructor(backend: MeterBackend, clients: Clients, logger: Logger, intervalMs = defaultIntervalMs) {
    this.#backend = backend;
    this.#clients = clients;
    this.#logger = logger;
    this.#timer = setInterval(() => void this.#check(), intervalMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    const { accountIds } = this.#clients;
    if (this.#isChecking || accountIds.length === 0) return;
    this.#isChecking = true;
    try {
      for (const accountId of await this.#backend.refused(accountIds)) this.#clients.closeAccount(accountId);
    } catch (error) {
      this.#logger.warn({ err: error }, 'suspended accounts could not be looked up; trying again');
    } finally {
      this.#isChecking = false;
    }
  }
}
