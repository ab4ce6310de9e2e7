import { createLogger } from '@turnpike/process/logger';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAccount } from '../../../apps/gateway/src/accounts/manage-account.ts';
import { insertCrawl } from '../../../apps/gateway/src/crawl/crawl-store.ts';
import { claimPage, type NewPage } from '../../../apps/gateway/src/crawl/page-queue-store.ts';
import {
  finishPage,
  listResults,
  pageOfRunner,
  releasePage,
} from '../../../apps/gateway/src/crawl/page-result-store.ts';
import { addRunner, deleteRunner, takeOverRunner } from '../../../apps/gateway/src/crawl/runner-store.ts';
import { readAddress } from '../../../apps/gateway/src/crawl/site/address.ts';
import { type Database, openDatabase } from '../../../apps/gateway/src/store/database.ts';
import { engines, testSealer, testStore } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

watchLeaks();

const crawlLimits = {
  sessions: 10,
  accountSessions: 10,
  crawlMaxBytes: 2 ** 20,
  accountMaxBytes: 2 ** 20,
  keepMs: 1000,
};
const outbox = async () => {};

function page(url: string): NewPage {
  const address = readAddress(url, { dropTracking: false });
  if (!address) throw new Error(url);
  return { kind: 'page', depth: 0, ...address };
}

/** What a runner does next: loads its page, loses it, or is given up with it. */
type Step = 'finish' | 'release' | 'die';

/** Works on a crawl until it is over. The pages form a loop, and each leads to two others. */
async function work(
  db: Database,
  crawlId: string,
  name: string,
  steps: Step[],
  count: number,
): Promise<number> {
  const store = { db, outbox, crawlLimits };
  const now = 1000;
  let finished = 0;
  for (let number = 0; ; number++) {
    const id = `${name} ${number}`;
    const added = await addRunner(store, { id, crawlId, gateway: name, now, accountSessions: 10 });
    if (!added) return finished;
    for (;;) {
      const claim = await claimPage(db, crawlId, id, now);
      if (claim.kind === 'over') return finished;
      if (claim.kind === 'later') {
        await new Promise(setImmediate);
        continue;
      }
      const step = claim.page.attempts > 3 ? 'finish' : (steps.shift() ?? 'finish');
      if (step === 'release') await releasePage(db, claim.page, { counts: true });
      if (step === 'finish') {
        const at = Number(new URL(claim.page.url).pathname.slice(1));
        const found = [at * 2, at * 2 + 1, at + 1].map((next) =>
          page(`http://h${next % 3}.test/${next % count}`),
        );
        const done = { state: 'done' as const, facts: {}, aliases: [], found, sealed: Buffer.from('x') };
        if (await finishPage(store, claim.page, done, now)) finished += 1;
      }
      if (step !== 'die') continue;
      // Somebody cleans up; what comes from it later does not count.
      await takeOverRunner(db, { id, alive_until: now + 12_000 }, 'other', now);
      const held = await pageOfRunner(db, crawlId, id);
      if (held) await releasePage(db, held, { counts: true });
      await deleteRunner(db, id);
      const late = { state: 'done' as const, facts: {}, aliases: [], found: [] };
      expect(await finishPage(store, claim.page, late, now)).toBeUndefined();
      break;
    }
  }
}

test.each(engines)('each page has one result, whoever loads, loses or drops it, on %s', async (engine) => {
  await using store = await testStore(engine);
  const db = await openDatabase(store.location, createLogger('silent'));
  try {
    const { account } = await createAccount(db, testSealer, { email: 'a@example.com', name: 'A' });
    await db.updateTable('accounts').set({ concurrent_limit: null }).where('id', '=', account.id).execute();
    let crawls = 0;
    const step = fc.constantFrom<Step>('finish', 'finish', 'release', 'die');
    const steps = fc.array(fc.array(step, { maxLength: 12 }), { minLength: 4, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 30 }), async (plans, limit) => {
        crawls += 1;
        const id = `cr_${crawls}`;
        const row = {
          id,
          account_id: account.id,
          state: 'queued' as const,
          url: 'http://h0.test/0',
          plan_sealed: '',
          page_limit: limit,
          concurrency: 10,
          host_concurrency: 2,
          delay_ms: 0,
          created_at: 1,
          expires_at: 10_000,
          next_at: 1,
        };
        await insertCrawl(db, row, [page('http://h0.test/0')], 1000);
        const count = 21;
        const done = await Promise.all(
          plans.map((plan, index) => work(db, id, `${id} ${index}`, [...plan], count)),
        );
        const crawl = await db
          .selectFrom('crawls')
          .selectAll()
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        const results = await listResults(db, id, 0, 100);
        const expected = Math.min(limit, count);
        expect(crawl).toMatchObject({ state: 'done', open: 0, done: expected, found: expected });
        expect(new Set(results.map(({ url }) => new URL(url).pathname)).size).toBe(expected);
        expect(results.map(({ result_seq }) => result_seq)).toEqual(results.map((_, index) => index + 1));
        expect(done.reduce((sum, own) => sum + own)).toBe(expected);
        const hosts = await db.selectFrom('crawl_hosts').selectAll().where('crawl_id', '=', id).execute();
        for (const { pending, running } of hosts)
          expect({ pending, running }).toEqual({ pending: 0, running: 0 });
        await db.deleteFrom('crawl_runners').execute();
      }),
      { numRuns: engine === 'sqlite' ? 6 : 4 },
    );
  } finally {
    await db.destroy();
  }
});
