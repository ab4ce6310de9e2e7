import type { CrawlState } from '@turnpike/contract/crawl';
import type { Generated, Selectable } from 'kysely';

/**
 * A crawl or a batch. Whoever changes its pages, addresses or hosts locks this row first: the counts here and there agree
 * at any time, and writers do not deadlock.
 */
export interface CrawlTable {
  id: string;
  account_id: string;
  state: CrawlState;
  /** Null for a batch. */
  url: string | null;
  /** JSON of a `CrawlPlan`, sealed: it may have passwords. */
  plan_sealed: string;
  page_limit: number;
  /** How many sessions it may have at once; null: as many as its account's limit allows. */
  concurrency: number | null;
  host_concurrency: number;
  delay_ms: number;
  created_at: number;
  started_at: Generated<number | null>;
  ended_at: Generated<number | null>;
  /** When it is deleted. */
  expires_at: number;
  /** Before this time no session is opened for it: the last one was refused. */
  next_at: number;
  /** The code of that refusal. */
  waiting: Generated<string | null>;
  /** Creates that failed one after the other, for other reasons than a limit. */
  failures: Generated<number>;
  why: Generated<string | null>;
  next_number: Generated<number>;
  /** Results so far: the number of the last one. */
  result_seq: Generated<number>;
  found: Generated<number>;
  /** Pages and sitemaps that are pending or claimed. 0: it is done. */
  open: Generated<number>;
  done: Generated<number>;
  failed: Generated<number>;
  skipped: Generated<number>;
  duplicates: Generated<number>;
  sitemaps: Generated<number>;
  bytes: Generated<number>;
  /** When the last `crawl.progress` was written. */
  progress_at: Generated<number>;
  /** Of the Idempotency-Key, and of the plan that came with it. */
  key_hash: Generated<string | null>;
  plan_hash: Generated<string | null>;
}
export type CrawlRow = Selectable<CrawlTable>;

export type PageState = 'pending' | 'claimed' | 'done' | 'failed' | 'skipped' | 'duplicate';

export interface CrawlPageTable {
  crawl_id: string;
  number: number;
  kind: 'page' | 'sitemap';
  url: string;
  /** SHA-256 of `url`, the page's key among its account's crawls. */
  hash: string;
  origin: string;
  depth: number;
  state: PageState;
  attempts: Generated<number>;
  /** The runner that has it. A result counts only from that one. */
  claimed_by: Generated<string | null>;
  /** The order of the results; null: it has none. */
  result_seq: Generated<number | null>;
  loaded_at: Generated<number | null>;
  loaded_url: Generated<string | null>;
  canonical: Generated<string | null>;
  status: Generated<number | null>;
  title: Generated<string | null>;
  content_type: Generated<string | null>;
  error_code: Generated<string | null>;
  error_message: Generated<string | null>;
  session_id: Generated<string | null>;
  /** The size of its formats as JSON. */
  bytes: Generated<number>;
  content_hash: Generated<string | null>;
  /** As the document's response had them. */
  etag: Generated<string | null>;
  last_modified: Generated<string | null>;
}
export type CrawlPageRow = Selectable<CrawlPageTable>;

/** Which addresses a crawl has seen, and of which page they are: its own, and the canonical one that it named. */
export interface CrawlAddressTable {
  crawl_id: string;
  /** SHA-256. */
  hash: string;
  number: number;
}

/** The hosts of a crawl, with scheme and port. */
export interface CrawlHostTable {
  crawl_id: string;
  origin: string;
  pending: number;
  running: number;
  /** When the next page of it may be loaded. */
  next_at: number;
  /** The crawl-delay of its robots.txt. */
  delay_ms: Generated<number>;
  /** JSON of `RobotsRules`; null: not read yet. */
  robots: Generated<string | null>;
}
export type CrawlHostRow = Selectable<CrawlHostTable>;

/** The formats of a page as JSON, compressed and sealed. */
export interface CrawlResultTable {
  crawl_id: string;
  number: number;
  sealed: Uint8Array;
}

/** A session's worth of work on a crawl, on some gateway. */
export interface CrawlRunnerTable {
  id: string;
  crawl_id: string;
  account_id: string;
  gateway: string;
  /** After this time its gateway counts as dead: others take its page, and close its session. */
  alive_until: number;
}
export type CrawlRunnerRow = Selectable<CrawlRunnerTable>;
