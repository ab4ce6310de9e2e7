import { CrawlParameters, defaultCrawlPages, defaultHostConcurrency } from '@turnpike/contract/crawl';
import type { PageFormat } from '@turnpike/contract/page/page-formats';
import { badRequest } from '../http/api-error.ts';
import { parseWith } from '../http/parse-with.ts';
import { readPageBody } from '../page/read-page-request.ts';
import type { CrawlPlan } from './crawl-plan.ts';
import type { NewPage } from './page-queue-store.ts';
import { readAddress } from './site/address.ts';

/** A crawl that was asked for. */
export interface AskedCrawl {
  plan: CrawlPlan;
  /** Null for a batch. */
  url: string | null;
  limit: number;
  concurrency: number | null;
  hostConcurrency: number;
  delayMs: number;
  pages: NewPage[];
}

const crawlMembers: Readonly<Record<string, unknown>> = CrawlParameters.properties;
/** Those of a page call that say which page: the crawl decides it. */
const refused = ['html', 'sessionId'];

const defaultFormats: PageFormat[] = ['markdown'];
/** The lifetime of sessions, unless it is asked for: longer than a crawl uses one. */
const lifetimeSeconds = 15 * 60;

/** Reads a body. What is no parameter of crawls is one of page calls or creates. Throws the rule that it breaks. */
export function readCrawlRequest(body: Record<string, unknown>): AskedCrawl {
  const given = Object.entries(body).filter(([, value]) => value !== undefined && value !== null);
  const wrong = given.find(([name]) => refused.includes(name))?.[0];
  if (wrong) throw badRequest(`${wrong} must not be given for a crawl`, { field: wrong });
  const isOfCrawl = ([name]: [string, unknown]) => Object.hasOwn(crawlMembers, name);
  const asked = parseWith(CrawlParameters, Object.fromEntries(given.filter(isOfCrawl)));
  const { pages, url, hostname } = firstPages(asked);
  const formats = (asked.formats as PageFormat[] | undefined) ?? defaultFormats;
  const others = Object.fromEntries(given.filter((member) => !isOfCrawl(member)));
  const { call, options } = readPageBody({ ...others, url: 'http://each.page' }, { formats, raw: false });
  const { url: _, ...parameters } = call.parameters;
  const plan: CrawlPlan = {
    scope: {
      hostname,
      subdomains: asked.subdomains ?? false,
      include: asked.includePatterns ?? [],
      exclude: asked.excludePatterns ?? [],
      dropTracking: asked.dropTracking ?? false,
    },
    page: { parameters, formats: call.formats, timeoutMs: call.timeoutMs },
    create: { ...options, maxLifetime: others['maxLifetime'] ?? lifetimeSeconds },
    sitemap: sitemapOf(asked),
    depth: asked.depth ?? null,
    robots: asked.robots ?? true,
    ignoreCanonical: asked.ignoreCanonical ?? false,
    skipUnchanged: asked.skipUnchanged ?? false,
  };
  return {
    plan,
    url,
    pages,
    limit: url === null ? pages.length : (asked.limit ?? defaultCrawlPages),
    concurrency: asked.concurrency ?? null,
    hostConcurrency: asked.hostConcurrency ?? defaultHostConcurrency,
    delayMs: asked.delay ?? 0,
  };
}

const sitemapOf = ({ sitemap }: CrawlParameters) => (sitemap ?? 'include') as CrawlPlan['sitemap'];

/** The pages that it begins with: of a crawl its first one and the sitemap, of a batch all. */
function firstPages(asked: CrawlParameters): Pick<AskedCrawl, 'url' | 'pages'> & { hostname: string | null } {
  const rules = { dropTracking: asked.dropTracking ?? false };
  if ((asked.url === undefined) === (asked.urls === undefined))
    throw badRequest('Give url, where the crawl begins, or urls, a batch of addresses.', { field: 'url' });
  if (asked.url === undefined) {
    const pages = new Map<string, NewPage>();
    for (const [index, text] of (asked.urls ?? []).entries()) {
      const address = readAddress(text, rules);
      if (!address)
        throw badRequest(`urls/${index} must be an address with http or https`, { field: 'urls' });
      pages.set(address.hash, { kind: 'page', depth: 0, ...address });
    }
    return { url: null, hostname: null, pages: [...pages.values()] };
  }
  const start = readAddress(asked.url, rules);
  if (!start) throw badRequest('url must be an address with http or https', { field: 'url' });
  const sitemap = readAddress('/sitemap.xml', rules, start.origin);
  const which = sitemapOf(asked);
  return {
    url: start.url,
    hostname: start.hostname,
    pages: [
      ...(which === 'only' ? [] : [{ kind: 'page' as const, depth: 0, ...start }]),
      ...(which === 'skip' || !sitemap ? [] : [{ kind: 'sitemap' as const, depth: 0, ...sitemap }]),
    ],
  };
}
