import type { CrawlPageRow } from '../store/tables/crawl-tables.ts';
import type { CrawlContext } from './crawl-context.ts';
import { loadText, sitemapPages } from './crawl-page.ts';
import type { CrawlPlan } from './crawl-plan.ts';
import type { PageSession } from './load-page.ts';
import { storeRobots } from './page-queue-store.ts';
import {
  compileRobots,
  everythingAllowed,
  maxRobotsBytes,
  type RobotsFile,
  type RobotsRules,
  readRobots,
} from './site/robots.ts';

const robotsTimeoutMs = 20_000;
const maxRemembered = 100;

interface KnownHost {
  rules: RobotsRules;
  allows: (url: string) => boolean;
}

/** The robots.txt of a crawl's hosts. Each is loaded once for a crawl, and stored. */
export class HostRobots {
  readonly #known = new Map<string, KnownHost>();

  /** Whether it allows an address, as far as the file is known. */
  allows(url: string, origin: string): boolean {
    return this.#known.get(origin)?.allows(url) ?? true;
  }

  /** Reads the rules for a page's host: from the store, or through the session. */
  async rulesFor(
    context: CrawlContext,
    plan: CrawlPlan,
    page: CrawlPageRow,
    stored: RobotsRules | undefined,
    where: PageSession,
  ): Promise<KnownHost> {
    const known = this.#known.get(page.origin);
    if (known) return known;
    const rules = stored ?? (await this.#load(context, plan, page, where));
    const host = { rules, allows: compileRobots(rules) };
    if (this.#known.size >= maxRemembered) this.#known.clear();
    this.#known.set(page.origin, host);
    return host;
  }

  async #load(
    context: CrawlContext,
    plan: CrawlPlan,
    { crawl_id, origin }: CrawlPageRow,
    where: PageSession,
  ): Promise<RobotsRules> {
    const { sitemaps, ...rules } = await loadRobots(context, plan, `${origin}/robots.txt`, where);
    const isOfSite = plan.scope.hostname !== null && plan.sitemap !== 'skip';
    await storeRobots(
      context.db,
      crawl_id,
      origin,
      rules,
      isOfSite ? sitemapPages(plan, sitemaps, origin, 0) : [],
    );
    return rules;
  }
}

/** By RFC 9309, a file that is not there allows everything, and one that cannot be reached nothing. */
async function loadRobots(
  context: CrawlContext,
  plan: CrawlPlan,
  url: string,
  where: PageSession,
): Promise<RobotsFile> {
  const answer = await loadText(context, plan, where, url, robotsTimeoutMs);
  const { status = 200 } = answer.report;
  const nothing = { ...everythingAllowed, sitemaps: [] };
  if ('error' in answer) {
    if (/^PAGE_HTTP_4/.test(answer.error.code)) return nothing;
    return { ...nothing, unreachable: answer.error };
  }
  if (status >= 500)
    return { ...nothing, unreachable: { code: `PAGE_HTTP_${status}`, message: `The status is ${status}.` } };
  if (status >= 400) return nothing;
  return readRobots(new TextDecoder().decode(answer.body.subarray(0, maxRobotsBytes)));
}
