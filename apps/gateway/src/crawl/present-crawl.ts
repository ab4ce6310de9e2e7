import type { Crawl } from '@turnpike/contract/crawl';
import { iso, isoOrNull } from '../http/iso.ts';
import type { CrawlRow } from '../store/tables/crawl-tables.ts';

export function presentCrawl(row: CrawlRow, sessions: number): Crawl {
  const { found, open, done, failed, skipped, duplicates } = row;
  const isActive = row.state === 'queued' || row.state === 'running';
  return {
    id: row.id,
    state: row.state,
    url: row.url,
    waiting: isActive && sessions === 0 ? row.waiting : null,
    why: row.why,
    limit: row.page_limit,
    pages: { found, open, done, failed, skipped, duplicates },
    sessions,
    bytes: row.bytes,
    createdAt: iso(row.created_at),
    startedAt: isoOrNull(row.started_at),
    endedAt: isoOrNull(row.ended_at),
    expiresAt: iso(row.expires_at),
  };
}
