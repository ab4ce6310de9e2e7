import { randomBytes } from 'node:crypto';
import { createLogger } from '@turnpike/process/logger';
import { expect, test } from 'vitest';
import { proxyCredentials, statsToken } from '../../../apps/gateway/src/accounts/account-credentials.ts';
import { createAccount } from '../../../apps/gateway/src/accounts/manage-account.ts';
import { resealAll } from '../../../apps/gateway/src/operator/reseal.ts';
import { Sealer } from '../../../apps/gateway/src/secrets/sealer.ts';
import { openDatabase } from '../../../apps/gateway/src/store/database.ts';
import { engines, testStore } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

watchLeaks();

test.each(engines)(
  'a secret key is replaced, and what was sealed under the old one sealed anew, on %s',
  async (engine) => {
    await using store = await testStore(engine);
    await using stack = new AsyncDisposableStack();
    const db = await openDatabase(store.location, createLogger('silent'));
    stack.defer(() => db.destroy());
    const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
    const before = new Sealer(oldKey);
    const made = await createAccount(db, before, { email: 'a@example.com', name: 'A' });
    const accountId = made.account.id;
    const sealed = before.sealBytes(Buffer.from('cookies'), `saved profile ${accountId} shop`);
    await db
      .insertInto('saved_profiles')
      .values({ account_id: accountId, name: 'shop', sealed, bytes: 7, updated_at: 1 })
      .execute();
    const extension = before.sealBytes(Buffer.from('a zip'), `extensions.sealed ${accountId} abc`);
    await db
      .insertInto('extensions')
      .values({
        account_id: accountId,
        id: 'abc',
        name: 'A',
        version: '1',
        id_source: 'name',
        bytes: 5,
        checksum: '00',
        public_key: '',
        sealed: extension,
        created_at: 1,
      })
      .execute();

    const crawlId = `cr_${'0'.repeat(24)}`;
    await db
      .insertInto('crawls')
      .values({
        id: crawlId,
        account_id: accountId,
        state: 'done',
        url: null,
        page_limit: 300,
        concurrency: null,
        host_concurrency: 1,
        delay_ms: 0,
        created_at: 1,
        expires_at: 9,
        next_at: 1,
        plan_sealed: before.seal('{}', `crawls.plan_sealed ${crawlId}`),
      })
      .execute();
    // More than are listed at a time.
    const results = Array.from({ length: 210 }, (_, index) => index + 1);
    await db
      .insertInto('crawl_results')
      .values(
        results.map((number) => ({
          crawl_id: crawlId,
          number,
          sealed: before.sealBytes(
            Buffer.from(`page ${number}`),
            `crawl_results.sealed ${crawlId} ${number}`,
          ),
        })),
      )
      .execute();
    await db
      .insertInto('page_answers')
      .values({
        session_id: 'br_1',
        account_id: accountId,
        created_at: 1,
        sealed: before.sealBytes(Buffer.from('an answer'), 'page_answers.sealed br_1'),
      })
      .execute();
    const count = 4 + 1 + results.length + 1;

    const both = new Sealer(newKey, [oldKey]);
    expect(await statsToken(db, both, 'a@example.com')).toBe(made.statsToken);
    expect(await resealAll(db, both)).toEqual({ resealed: count, current: 0, unopened: [] });
    expect(await resealAll(db, both)).toEqual({ resealed: 0, current: count, unopened: [] });

    const after = new Sealer(newKey);
    expect(await statsToken(db, after, 'a@example.com')).toBe(made.statsToken);
    const { proxyUser, proxyPassword } = made;
    expect(await proxyCredentials(db, after, 'a@example.com')).toEqual({ proxyUser, proxyPassword });
    const profile = await db.selectFrom('saved_profiles').select('sealed').executeTakeFirstOrThrow();
    expect(after.openBytes(profile.sealed, `saved profile ${accountId} shop`).toString()).toBe('cookies');
    const kept = await db.selectFrom('extensions').select('sealed').executeTakeFirstOrThrow();
    expect(after.openBytes(kept.sealed, `extensions.sealed ${accountId} abc`).toString()).toBe('a zip');

    const stored = await db
      .selectFrom('crawl_results')
      .selectAll()
      .where('number', '=', 205)
      .executeTakeFirst();
    const page = after.openBytes(stored?.sealed ?? Buffer.alloc(0), `crawl_results.sealed ${crawlId} 205`);
    expect(page.toString()).toBe('page 205');
    const answer = await db.selectFrom('page_answers').select('sealed').executeTakeFirstOrThrow();
    expect(after.openBytes(answer.sealed, 'page_answers.sealed br_1').toString()).toBe('an answer');

    // A value that is moved to another row is worth nothing there, and one under a lost key is named.
    const other = await createAccount(db, before, { email: 'b@example.com', name: 'B' });
    await db
      .updateTable('accounts')
      .set({
        stats_token_sealed: (e) =>
          e.selectFrom('accounts as a').select('a.stats_token_sealed').where('a.id', '=', accountId),
      })
      .where('id', '=', other.account.id)
      .execute();
    await expect(statsToken(db, after, 'b@example.com')).rejects.toThrow('TURNPIKE_SECRET_KEYS_OLD');
    const { unopened } = await resealAll(db, after);
    expect(unopened).toEqual([`accounts.proxy_password_sealed ${other.account.id}`]);
  },
);
