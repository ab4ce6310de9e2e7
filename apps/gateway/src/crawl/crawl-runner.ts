import { setTimeout as delay } from 'node:timers/promises';
import { Poll } from '@turnpike/process/poll';
import { associatedData } from '../secrets/associated-data.ts';
import { closeSession } from '../sessions/close-session.ts';
import type { CrawlPageRow, CrawlRow } from '../store/tables/crawl-tables.ts';
import type { SessionRow } from '../store/tables.ts';
import type { CrawlContext } from './crawl-context.ts';
import { type CrawlSite, crawlPage, crawlSitemap, failed, skipped } from './crawl-page.ts';
import type { CrawlPlan } from './crawl-plan.ts';
import { endCrawl, findCrawlAccount, postponeCrawl, resumeCrawl } from './crawl-store.ts';
import { HostRobots } from './host-robots.ts';
import { SessionLostError } from './load-page.ts';
import { openCrawlSession, readRefusal } from './open-crawl-session.ts';
import { type Claim, claimPage } from './page-queue-store.ts';
import { finishPage, type PageResult, releasePage } from './page-result-store.ts';
import { deleteRunner, renewRunner } from './runner-store.ts';
import { compileScope } from './site/crawl-scope.ts';

export interface Runner {
  id: string;
  crawl: CrawlRow;
  gateway: string;
  /** Ends it: its page goes back, and its session is closed. */
  stop: AbortController;
}

/** A session is closed after so many pages, or so long: a browser collects things, and a crawl must leave its seat. */
const maxPages = 100;
const maxSessionMs = 5 * 60_000;
/** A session that finds nothing to load is closed. */
const maxIdleMs = 5000;
const renewMs = 3000;

/** How often a page is loaded, if the reason that it fails may pass; and if sessions are lost with it. */
const maxAttempts = 3;
export const maxLosses = 5;
const retryMs = 2000;
const mayPass = new Set([
  ...['PAGE_PROXY', 'PAGE_CONNECTION', 'PAGE_TIMEOUT', 'PAGE_CRASHED', 'PAGE_CLOSED'],
  ...['PAGE_HTTP_429', 'PAGE_HTTP_502', 'PAGE_HTTP_503', 'PAGE_HTTP_504'],
]);
/** After these a session is not used again. */
const isBroken = new Set(['PAGE_CRASHED', 'PAGE_CLOSED']);

/** Opens a session for a crawl, loads pages in it one after the other, and closes it. */
export async function runCrawl(context: CrawlContext, runner: Runner): Promise<void> {
  const { db, logger, now } = context;
  const { id, crawl, gateway, stop } = runner;
  const log = { crawlId: crawl.id, accountId: crawl.account_id };
  await using _renewal = new Poll(
    renewMs,
    async () => {
      if (!(await renewRunner(db, { id, gateway }, now()))) stop.abort(new Error('The runner was given up'));
    },
    (error) => logger.warn({ err: error, ...log }, "could not renew a crawl's runner; will retry"),
  );
  const opened = await open(context, runner);
  if (!opened) {
    await deleteRunner(db, id);
    return;
  }
  const { plan, session } = opened;
  try {
    await resumeCrawl(db, crawl.id);
    await loadPages(context, runner, plan, session);
  } catch (error) {
    if (!stop.signal.aborted) logger.warn({ err: error, ...log }, 'a session of a crawl ended early');
  }
  // If the session cannot be closed, the runner lapses, and any gateway tries again.
  await closeSession(context, session);
  await deleteRunner(db, id);
}

/** Opens the session. Otherwise the crawl waits, or fails if no session can be opened for it. */
async function open(
  context: CrawlContext,
  { id, crawl, stop }: Runner,
): Promise<{ plan: CrawlPlan; session: SessionRow } | undefined> {
  const { db, logger, now, outbox, crawlLimits, sealer } = context;
  try {
    const plan: CrawlPlan = JSON.parse(sealer.open(crawl.plan_sealed, associatedData.crawlPlan(crawl.id)));
    const account = await findCrawlAccount(db, crawl.account_id);
    if (!account) return undefined;
    return { plan, session: await openCrawlSession(context, account, plan, id, stop.signal) };
  } catch (error) {
    if (stop.signal.aborted) return undefined;
    const refusal = readRefusal(error, crawl.failures);
    logger.info({ crawlId: crawl.id, err: error, ...refusal }, 'a session of a crawl was refused');
    if (refusal.kind === 'wait') await postponeCrawl(db, crawl.id, { ...refusal, until: now() + refusal.ms });
    else {
      const end = { state: 'failed' as const, why: refusal.why, now: now(), keepMs: crawlLimits.keepMs };
      await db.transaction().execute((trx) => endCrawl(trx, outbox, crawl.id, end));
    }
    return undefined;
  }
}

async function loadPages(
  context: CrawlContext,
  { id, crawl, stop: { signal } }: Runner,
  plan: CrawlPlan,
  session: SessionRow,
): Promise<void> {
  const robots = new HostRobots();
  const site: CrawlSite = {
    crawlId: crawl.id,
    accountId: crawl.account_id,
    plan,
    scope: compileScope(plan.scope),
    isBatch: crawl.url === null,
    allows: (url, origin) => !plan.robots || robots.allows(url, origin),
  };
  const startedAt = performance.now();
  let idleSince: number | undefined;
  for (let pages = 0; pages < maxPages && performance.now() - startedAt < maxSessionMs; ) {
    const claim = await claimPage(context.db, crawl.id, id, context.now());
    if (claim.kind === 'over') return;
    if (claim.kind === 'later') {
      idleSince ??= performance.now();
      const leftMs = idleSince + maxIdleMs - performance.now();
      if (claim.inMs > leftMs) return;
      await delay(Math.min(claim.inMs, 500), undefined, { signal });
      continue;
    }
    idleSince = undefined;
    pages += 1;
    if (!(await loadOne(context, site, robots, claim, { session, signal }))) return;
  }
}

/** Loads a claimed page and stores its result. False: the session must not be used again. */
async function loadOne(
  context: CrawlContext,
  site: CrawlSite,
  robots: HostRobots,
  { page, robots: stored }: Extract<Claim, { kind: 'page' }>,
  where: { session: SessionRow; signal: AbortSignal },
): Promise<boolean> {
  const { db, metrics, now } = context;
  let result: PageResult;
  try {
    result = await resultOf(context, site, robots, page, stored, where);
  } catch (error) {
    if (error instanceof SessionLostError && page.attempts >= maxLosses) {
      await finishPage(context, page, lost(), now());
      return false;
    }
    await releasePage(db, page, { counts: !where.signal.aborted });
    throw error;
  }
  const code = result.state === 'failed' ? (result.facts.error_code ?? '') : '';
  if (mayPass.has(code) && page.attempts < maxAttempts) {
    await releasePage(db, page, { counts: true, notBefore: now() + retryMs * 2 ** (page.attempts - 1) });
    metrics.crawledPage('retried');
  } else {
    const state = await finishPage(context, page, result, now());
    if (state && page.kind === 'page') metrics.crawledPage(state);
  }
  return !isBroken.has(code);
}

/** The result of a page with which sessions were lost again and again. */
export const lost = (): PageResult => failed({}, 'PAGE_CRASHED', `Its session was lost ${maxLosses} times.`);

async function resultOf(
  context: CrawlContext,
  site: CrawlSite,
  robots: HostRobots,
  page: CrawlPageRow,
  stored: Extract<Claim, { kind: 'page' }>['robots'],
  where: { session: SessionRow; signal: AbortSignal },
): Promise<PageResult> {
  if (site.plan.robots) {
    const { rules, allows } = await robots.rulesFor(context, site.plan, page, stored, where);
    if (rules.unreachable && page.kind === 'page') {
      const { code, message } = rules.unreachable;
      return failed({}, code, `robots.txt could not be read: ${message}`);
    }
    if (page.kind === 'page' && !allows(page.url)) return skipped('ROBOTS', 'robots.txt does not allow it.');
  }
  return page.kind === 'sitemap'
    ? crawlSitemap(context, site, page, where)
    : crawlPage(context, site, page, where);
}
