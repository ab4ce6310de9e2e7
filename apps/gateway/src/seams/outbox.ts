import type { Crawl } from '@turnpike/contract/crawl';
import type { CrawlEventType } from '@turnpike/contract/events';
import type { RecordingSummary } from '@turnpike/contract/recording-answers';
import type { EndStatus, SessionRecord } from '@turnpike/contract/session';
import type { Transaction } from 'kysely';
import type { AccountRow, Tables } from '../store/tables.ts';
import type { ProxyFact, SessionProxyFact } from './proxy-events.ts';

/** What sessions, recordings, crawls and proxies tell events about, inside the transaction in which it happens. */
export type SessionFact =
  | { kind: 'started'; accountId: string; at: number; record: SessionRecord }
  | { kind: 'ended'; accountId: string; at: number; record: SessionRecord; status: EndStatus }
  | {
      kind: 'standby';
      type: 'session.standby' | 'session.woke';
      accountId: string;
      at: number;
      record: SessionRecord;
    }
  | {
      kind: 'billed';
      /** As it is after the bill. */
      account: Pick<AccountRow, 'id' | 'browser_seconds' | 'browser_seconds_cap'>;
      billedSeconds: number;
      at: number;
    }
  | { kind: 'recorded'; accountId: string; at: number; recording: RecordingSummary }
  | { kind: 'crawl'; type: CrawlEventType; accountId: string; at: number; crawl: Crawl }
  | ProxyFact
  | SessionProxyFact;

/** Writes the events of a fact in the fact's own transaction, so that neither is ever stored without the other. */
export type Outbox = (trx: Transaction<Tables>, fact: SessionFact) => Promise<void>;
