import {
  maxPageAnswerBytes,
  type PageAnswer,
  type PageReport,
  type PageValidators,
} from '@turnpike/contract/page/page-call';
import { Slices } from '@turnpike/process/work/slices';
import { associatedData } from '../secrets/associated-data.ts';
import type { CrawlPageRow } from '../store/tables/crawl-tables.ts';
import type { CrawlContext } from './crawl-context.ts';
import type { CrawlPlan } from './crawl-plan.ts';
import {
  callPage,
  hashContent,
  type PageSession,
  packResult,
  pageCall,
  takeApart,
  type Wanted,
} from './load-page.ts';
import type { NewPage } from './page-queue-store.ts';
import { type LastLoad, lastLoad, type PageResult } from './page-result-store.ts';
import { readAddress } from './site/address.ts';
import type { Scope } from './site/crawl-scope.ts';
import { readSitemap } from './site/sitemap.ts';

/** What a crawl is, for those who load its pages. */
export interface CrawlSite {
  crawlId: string;
  accountId: string;
  plan: CrawlPlan;
  scope: Scope;
  isBatch: boolean;
  /** Whether robots.txt allows an address, as far as it is known. */
  allows(url: string, origin: string): boolean;
}

/** Larger results are not stored. */
const maxStoredBytes = 8 * 2 ** 20;
/** Found on one page. */
const maxFound = 10_000;
const maxText = 1000;

/** Loads a page and makes its result. Throws if the session is lost or the signal aborts. */
export async function crawlPage(
  context: CrawlContext,
  site: CrawlSite,
  page: CrawlPageRow,
  where: PageSession,
): Promise<PageResult> {
  const { plan, isBatch } = site;
  const isLast = plan.depth !== null && page.depth >= plan.depth;
  const links = !isBatch && !isLast && plan.sitemap !== 'only';
  const last = plan.skipUnchanged ? await lastLoad(context.db, site.accountId, page) : undefined;
  // A page that is not loaded has no links to follow.
  const validators = links ? undefined : validatorsOf(last);
  const wanted: Wanted = {
    links,
    canonical: !isBatch && !plan.ignoreCanonical,
    ...(validators && { validators }),
  };
  const answer = await callPage(context, where, pageCall(plan, page.url, wanted));
  const facts = { ...factsOf(answer.report, page), session_id: where.session.id };
  if ('error' in answer) {
    const { code, message } = answer.error;
    if (!last || !validators || code !== 'PAGE_HTTP_304') return failed(facts, code, message);
    const { content_hash, etag, last_modified } = last;
    return unchanged({ ...facts, content_hash, etag, last_modified });
  }
  const { json, links: listed, canonical } = await takeApart(answer, plan, wanted);
  const base = answer.report.url;
  const found = await newPages(site, listed, base, page.depth + 1);
  const named = canonical === undefined ? undefined : readAddress(canonical, plan.scope, base);
  const loaded = readAddress(base, plan.scope);
  const aliases = isBatch ? [] : [loaded, named].flatMap((address) => address?.hash ?? []);
  const known = { ...facts, canonical: named?.url ?? null };
  const contentHash = plan.skipUnchanged ? await hashContent(json) : null;
  if (contentHash !== null && last?.content_hash === contentHash)
    return { ...unchanged({ ...known, content_hash: contentHash }), aliases, found };
  const packed = await packResult(json);
  if (packed.length > maxStoredBytes || json.length > maxPageAnswerBytes)
    return { ...failed(known, 'PAGE_TOO_LARGE', 'The formats are too large to be stored.'), found };
  const sealed = context.sealer.sealBytes(packed, associatedData.crawlResult(page.crawl_id, page.number));
  return {
    state: 'done',
    facts: { ...known, bytes: json.length, content_hash: contentHash },
    sealed,
    aliases: [...new Set(aliases)],
    found,
  };
}

const failure = (code: string, message: string) => ({
  error_code: code,
  error_message: clean(message) ?? '',
});

const unchanged = (facts: PageResult['facts']): PageResult => ({
  state: 'skipped',
  facts: { ...facts, ...failure('UNCHANGED', 'As it was in an earlier crawl.') },
  aliases: [],
  found: [],
});

function validatorsOf(last: LastLoad | undefined): PageValidators | undefined {
  if (!last || (last.etag === null && last.last_modified === null)) return undefined;
  return {
    ...(last.etag !== null && { etag: last.etag }),
    ...(last.last_modified !== null && { lastModified: last.last_modified }),
  };
}

export const failed = (facts: PageResult['facts'], code: string, message: string): PageResult => ({
  state: 'failed',
  facts: { ...facts, ...failure(code, message) },
  aliases: [],
  found: [],
});

export const skipped = (code: string, message: string): PageResult => ({
  state: 'skipped',
  facts: failure(code, message),
  aliases: [],
  found: [],
});

function factsOf(
  { status, url, title, contentType, etag, lastModified }: PageReport,
  page: CrawlPageRow,
): PageResult['facts'] {
  // After a redirect they are another address's.
  const isOwn = url === page.url;
  return {
    etag: (isOwn && etag) || null,
    last_modified: (isOwn && lastModified) || null,
    loaded_url: clean(url, 4 * maxText) ?? null,
    status: status ?? null,
    title: clean(title) ?? null,
    content_type: clean(contentType) ?? null,
  };
}

/** PostgreSQL stores no NUL in a text. */
const clean = (text: string | undefined, maxLength = maxText): string | undefined =>
  text?.replaceAll('\0', '').slice(0, maxLength);

/** Reads links: those that belong to the crawl and that robots.txt does not refuse, each once. */
async function newPages(
  { scope, allows }: CrawlSite,
  links: readonly string[],
  base: string,
  depth: number,
): Promise<NewPage[]> {
  const slices = new Slices();
  const found = new Map<string, NewPage>();
  for (const link of links) {
    const address = scope.read(link, base);
    await slices.pause();
    if (!address || found.has(address.hash) || !allows(address.url, address.origin)) continue;
    const { url, hash, origin } = address;
    found.set(hash, { kind: 'page', url, hash, origin, depth });
    if (found.size === maxFound) break;
  }
  return [...found.values()];
}

/** Sitemaps may lead to others, and these to others. */
const maxSitemapDepth = 3;
const sitemapTimeoutMs = 60_000;

/** Loads a sitemap. What cannot be read is none. */
export async function crawlSitemap(
  context: CrawlContext,
  site: CrawlSite,
  page: CrawlPageRow,
  where: PageSession,
): Promise<PageResult> {
  const answer = await loadText(context, site.plan, where, page.url, sitemapTimeoutMs);
  if (!('body' in answer) || !isFound(answer.report)) return failed({}, 'SITEMAP', 'There is no sitemap.');
  const { pages, sitemaps } = await readSitemap(answer.body).catch(() => ({ pages: [], sitemaps: [] }));
  const isTooDeep = site.plan.depth === 0 && site.plan.sitemap !== 'only';
  const found = isTooDeep ? [] : await newPages(site, pages, page.url, 1);
  const nested =
    page.depth < maxSitemapDepth ? sitemapPages(site.plan, sitemaps, page.url, page.depth + 1) : [];
  return { state: 'done', facts: {}, aliases: [], found: [...nested, ...found] };
}

const isFound = ({ status = 200 }: PageReport): boolean => status >= 200 && status < 300;

/** Sitemaps may be on other hosts: robots.txt names them. */
export function sitemapPages(
  { scope }: CrawlPlan,
  urls: readonly string[],
  base: string,
  depth: number,
): NewPage[] {
  return urls.slice(0, 100).flatMap((text) => {
    const address = readAddress(text, scope, base);
    return address ? [{ kind: 'sitemap' as const, depth, ...address }] : [];
  });
}

/** Loads a file as it is: through the session, and so through its proxy. */
export function loadText(
  context: CrawlContext,
  { page }: CrawlPlan,
  where: PageSession,
  url: string,
  timeoutMs: number,
): Promise<PageAnswer> {
  const { cookies, authenticate, setExtraHTTPHeaders, userAgent } = page.parameters;
  return callPage(context, where, {
    parameters: {
      url,
      ignoreHttpErrors: true,
      ...(cookies && { cookies }),
      ...(authenticate && { authenticate }),
      ...(setExtraHTTPHeaders && { setExtraHTTPHeaders }),
      ...(userAgent !== undefined && { userAgent }),
    },
    formats: ['content'],
    raw: true,
    timeoutMs,
  });
}
