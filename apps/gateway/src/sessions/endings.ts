import type { EndedBrowser } from '@turnpike/contract/host';
import type { Logger } from 'pino';
import type { Database } from '../store/database.ts';
import { reasonOfCause, statusOfCause } from './session.ts';
import { endSession, findSessionById } from './session-store.ts';

/**
 * Endings that hosts reported, kept until the store has them: one that comes while the store is away, or
 * while its create is still STARTING, is delivered later.
 */
export class Endings {
  readonly #pending = new Map<string, EndedBrowser>();
  readonly #db: Database;
  readonly #logger: Logger;

  constructor(db: Database, logger: Logger) {
    this.#db = db;
    this.#logger = logger;
  }

  has(sessionId: string): boolean {
    return this.#pending.has(sessionId);
  }

  report(ended: EndedBrowser): void {
    this.#pending.set(ended.sessionId, ended);
    this.deliver(ended.sessionId).catch((error) => {
      this.#logger.warn({ err: error, sessionId: ended.sessionId }, 'an ending could not be stored yet');
    });
  }

  async deliver(sessionId: string): Promise<void> {
    const ended = this.#pending.get(sessionId);
    if (!ended) return;
    const session = await findSessionById(this.#db, sessionId);
    if (session?.state === 'STARTING') return;
    if (session) {
      const status = statusOfCause[ended.cause];
      const reason = ended.reason ?? reasonOfCause[ended.cause];
      await endSession(this.#db, session, { ...ended, status, reason });
      this.#logger.info({ sessionId, accountId: session.account_id, status }, 'session ended');
    }
    this.#pending.delete(sessionId);
  }

  async deliverAll(): Promise<void> {
    for (const sessionId of [...this.#pending.keys()]) await this.deliver(sessionId);
  }
}
