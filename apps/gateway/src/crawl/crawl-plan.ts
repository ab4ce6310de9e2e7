import type { PageFormat } from '@turnpike/contract/page/page-formats';
import type { PageParameters } from '@turnpike/contract/page/page-request';
import type { ScopeRules } from './site/crawl-scope.ts';

/** What a crawl does, as it was asked for. It is stored sealed: proxies, cookies and headers have passwords in them. */
export interface CrawlPlan {
  scope: ScopeRules;
  /** How each page is loaded. */
  page: { parameters: PageParameters; formats: PageFormat[]; timeoutMs: number };
  /** The parameters of its sessions' creates. */
  create: Record<string, unknown>;
  sitemap: 'include' | 'only' | 'skip';
  /** How many links lead from the first page to the last one; null: any number. */
  depth: number | null;
  robots: boolean;
  ignoreCanonical: boolean;
  skipUnchanged: boolean;
}
