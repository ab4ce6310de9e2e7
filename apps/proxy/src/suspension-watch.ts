import type { MeterBackend } from '@turnpike/contract/bandwidth';
import type { IdleConnections } from '@turnpike/tunnel/idle-connections';
import type { Logger } from 'pino';
import type { Clients } from './clients.ts';

/** A suspended account's connections are closed after at most about twice this time. */
const defaultIntervalMs = 400;

/** Closes the connections of suspended accounts. While the store cannot be reached, they stay open. */
export class SuspensionWatch {
  readonly #backend: MeterBackend;
  readonly #clients: Clients;
  readonly #idle: IdleConnections;
  readonly #logger: Logger;
  readonly #timer: NodeJS.Timeout;
  #isChecking = false;

  constructor(
    backend: MeterBackend,
    { clients, idle }: { clients: Clients; idle: IdleConnections },
    logger: Logger,
    intervalMs = defaultIntervalMs,
  ) {
    this.#backend = backend;
    this.#clients = clients;
    this.#idle = idle;
    this.#logger = logger;
    this.#timer = setInterval(() => void this.#check(), intervalMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    const accountIds = [...new Set([...this.#clients.accountIds, ...this.#idle.owners])];
    if (this.#isChecking || accountIds.length === 0) return;
    this.#isChecking = true;
    try {
      for (const accountId of await this.#backend.refused(accountIds)) {
        this.#clients.closeAccount(accountId);
        this.#idle.closeOwner(accountId);
      }
    } catch (error) {
      this.#logger.warn({ err: error }, 'suspended accounts could not be looked up; trying again');
    } finally {
      this.#isChecking = false;
    }
  }
}
