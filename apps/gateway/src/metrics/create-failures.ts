import type { Logger } from 'pino';
import type { Database } from '../store/database.ts';
import { addFailures, type FailedCreates, pruneFailures } from './create-failure-store.ts';

const flushMs = 5000;
const hourMs = 3_600_000;
/** Longer than a chart can show. */
const keptMs = 400 * 24 * hourMs;

interface FailureContext {
  db: Database;
  logger: Logger;
  now(): number;
}

/**
 * Counts creates that fail, by hour and reason. Counts are kept in memory and added to the store every few seconds: a
 * create costs no statement, however many are refused. There are as many counts as the contract has codes, for each
 * hour in which the store was away.
 */
export class CreateFailures implements AsyncDisposable {
  readonly #context: FailureContext;
  readonly #counts = new Map<string, FailedCreates>();
  readonly #timer: NodeJS.Timeout;
  #flushing: Promise<void> = Promise.resolve();
  #prunedAt = 0;

  constructor(context: FailureContext) {
    this.#context = context;
    this.#timer = setInterval(() => void this.flush(), flushMs);
  }

  count(code: string): void {
    const now = this.#context.now();
    this.#add({ hour: now - (now % hourMs), code, creates: 1 });
  }

  /** Adds what was counted to the store. What cannot be added is kept for the next time. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#flush());
    return this.#flushing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #flush(): Promise<void> {
    const { db, logger, now } = this.#context;
    const counts = [...this.#counts.values()];
    if (counts.length === 0) return;
    this.#counts.clear();
    try {
      await addFailures(db, counts);
    } catch (error) {
      for (const each of counts) this.#add(each);
      logger.warn({ err: error }, 'could not store counts of failed creates; will retry');
      return;
    }
    if (now() - this.#prunedAt < hourMs) return;
    this.#prunedAt = now();
    await pruneFailures(db, now() - keptMs).catch((error) =>
      logger.warn({ err: error }, 'could not delete old counts of failed creates; will retry'),
    );
  }

  #add({ hour, code, creates }: FailedCreates): void {
    const key = `${hour} ${code}`;
    const known = this.#counts.get(key);
    if (known) known.creates += creates;
    else this.#counts.set(key, { hour, code, creates });
  }
}
