import { Poll } from '@turnpike/process/poll';
import { sql } from 'kysely';
import type { Database } from '../store/database.ts';
import type { SavedProxyRow } from '../store/tables/proxy-tables.ts';
import { checkSaved } from './check-proxy.ts';
import type { ProxyContext } from './proxy-context.ts';

const pollMs = 2000;
const atOnce = 16;
/** Longer than a check can take: a claim that is older belongs to a gateway that died. */
const claimMs = 60_000;

/** Dials proxies that have failed again, together with the other gateways, until they work. */
export class ProxyChecks implements AsyncDisposable {
  readonly #context: ProxyContext;
  readonly #poll: Poll;
  readonly #inProgress = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(context: ProxyContext) {
    this.#context = context;
    this.#poll = new Poll(
      pollMs,
      () => this.#pollOnce(),
      (error) => context.logger.warn({ err: error }, 'could not look for proxies to check; will retry'),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#poll[Symbol.asyncDispose]();
    await Promise.all(this.#inProgress);
  }

  async #pollOnce(): Promise<void> {
    const free = atOnce - this.#inProgress.size;
    if (free <= 0 || this.#stop.signal.aborted) return;
    const { db, now } = this.#context;
    for (const row of await claimChecks(db, now(), free)) {
      const check = this.#check(row).finally(() => this.#inProgress.delete(check));
      this.#inProgress.add(check);
    }
  }

  async #check(row: SavedProxyRow): Promise<void> {
    try {
      await checkSaved(this.#context, row, {}, this.#stop.signal);
    } catch (error) {
      if (!this.#stop.signal.aborted)
        this.#context.logger.warn({ err: error, proxyId: row.id }, 'could not check a proxy; will retry');
    }
  }
}

/** Takes proxies whose check is due, so that no other gateway takes them too. */
export function claimChecks(db: Database, now: number, limit: number): Promise<SavedProxyRow[]> {
  return db
    .updateTable('saved_proxies')
    .set({ next_check_at: now + claimMs })
    .where(
      'id',
      'in',
      sql<string>`(select id from saved_proxies where next_check_at <= ${now} order by next_check_at limit ${limit})`,
    )
    .where('next_check_at', '<=', now)
    .returningAll()
    .execute();
}
