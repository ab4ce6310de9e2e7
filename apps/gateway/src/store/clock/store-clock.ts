import { steadyNow } from '@turnpike/process/steady-clock';
import { type RawBuilder, sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../database.ts';
import { isPostgres } from '../engine.ts';
import { ClockEstimate, type ClockSample } from './clock-estimate.ts';

/** The clock of leases, windows, lifetimes and bills: the same on every gateway of a store. */
export interface StoreClock extends AsyncDisposable {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Registers a listener for jumps of more than a second: the database's clock was set, or this machine was suspended.
   */
  onJump(listener: () => void): void;
}

const refreshMs = 2000;
/** Smaller corrections are not logged. */
const jumpMs = 1000;

/**
 * Starts the clock. On PostgreSQL it is the database's, whatever the gateways' machines think the time is. On SQLite it
 * is the wall clock as of the start of this process, continued without jumps.
 */
export async function startStoreClock(db: Database, logger: Logger): Promise<StoreClock> {
  if (isPostgres(db)) return DatabaseClock.start(db, logger);
  return { now: steadyNow, onJump: () => {}, async [Symbol.asyncDispose]() {} };
}

/** Reads the store's time once, for a short command. */
export async function storeTime(db: Database): Promise<number> {
  return isPostgres(db) ? (await readClock(db)).at : steadyNow();
}

/** The store's time as a value in a statement, for what writes it without a running clock. */
export const storeTimeIn = (db: Database): RawBuilder<number> =>
  isPostgres(db) ? databaseTime : sql<number>`${steadyNow()}`;

const databaseTime = sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;

async function readClock(db: Database): Promise<ClockSample> {
  const askedAt = performance.now();
  const { rows } = await sql<{ at: number }>`select ${databaseTime} as at`.execute(db);
  return { askedAt, answeredAt: performance.now(), at: Number(rows[0]?.at) };
}

class DatabaseClock implements StoreClock {
  readonly #db: Database;
  readonly #logger: Logger;
  readonly #estimate: ClockEstimate;
  readonly #listeners: (() => void)[] = [];
  readonly #timer: NodeJS.Timeout;
  #reading: Promise<void> | undefined;
  #last = Number.NEGATIVE_INFINITY;

  private constructor(db: Database, logger: Logger, first: ClockSample) {
    this.#db = db;
    this.#logger = logger;
    this.#estimate = new ClockEstimate(first);
    this.#timer = setInterval(() => {
      this.#reading ??= this.#refresh().finally(() => {
        this.#reading = undefined;
      });
    }, refreshMs);
    this.#timer.unref();
  }

  static async start(db: Database, logger: Logger): Promise<DatabaseClock> {
    await readClock(db); // Opens the connection first, for that would count as part of the round trip.
    return new DatabaseClock(db, logger, await readClock(db));
  }

  /** Never runs backwards for a small correction. */
  readonly now = (): number => {
    this.#last = Math.max(this.#last, Math.round(this.#estimate.at(performance.now())));
    return this.#last;
  };

  onJump(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#reading;
  }

  /** While the database is unavailable, the estimate continues by this machine's monotonic clock. */
  async #refresh(): Promise<void> {
    const sample = await readClock(this.#db).catch(() => undefined);
    if (!sample) return;
    const jumped = Math.round(this.#estimate.take(sample));
    if (Math.abs(jumped) < jumpMs) return;
    this.#last = Number.NEGATIVE_INFINITY;
    this.#logger.warn(
      { jumpedMs: jumped },
      "the database's clock was set, or this machine was suspended; following the database's clock",
    );
    for (const listener of this.#listeners) listener();
  }
}
