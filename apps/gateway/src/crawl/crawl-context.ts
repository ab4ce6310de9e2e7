import type { CreateContext } from '../creates/create-context.ts';
import type { Sealer } from '../secrets/sealer.ts';

export interface CrawlLimits {
  /** Sessions of crawls on this gateway at once. 0: it works on none. */
  sessions: number;
  /** Sessions of an account's crawls at once, on all gateways. */
  accountSessions: number;
  /** How large the results of a crawl may grow, as they are stored. */
  crawlMaxBytes: number;
  /** How large the results of all crawls of an account may grow together. */
  accountMaxBytes: number;
  /** How long results are kept after the end of their crawl, and how long a crawl may take. */
  keepMs: number;
}

/** What crawls work with. */
export interface CrawlContext extends CreateContext {
  sealer: Sealer;
  crawlLimits: CrawlLimits;
  /** Whether the operator offers page calls, and so crawls. */
  pageCalls: boolean;
  /** Tells this gateway's workers that there may be something to do, or to stop. */
  crawlsChanged(): void;
}
