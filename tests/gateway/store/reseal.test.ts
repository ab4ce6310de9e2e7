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
        ...{ account_id: accountId, id: 'abc', name: 'A', version: '1', id_source: 'name', bytes: 5 },
        ...{ checksum: '00', public_key: '', sealed: extension, created_at: 1 },
      })
      .execute();

    const both = new Sealer(newKey, [oldKey]);
    expect(await statsToken(db, both, 'a@example.com')).toBe(made.statsToken);
    expect(await resealAll(db, both)).toEqual({ resealed: 4, current: 0, unopened: [] });
    expect(await resealAll(db, both)).toEqual({ resealed: 0, current: 4, unopened: [] });

    const after = new Sealer(newKey);
    expect(await statsToken(db, after, 'a@example.com')).toBe(made.statsToken);
    const { proxyUser, proxyPassword } = made;
    expect(await proxyCredentials(db, after, 'a@example.com')).toEqual({ proxyUser, proxyPassword });
    const profile = await db.selectFrom('saved_profiles').select('sealed').executeTakeFirstOrThrow();
    expect(after.openBytes(profile.sealed, `saved profile ${accountId} shop`).toString()).toBe('cookies');
    const kept = await db.selectFrom('extensions').select('sealed').executeTakeFirstOrThrow();
    expect(after.openBytes(kept.sealed, `extensions.sealed ${accountId} abc`).toString()).toBe('a zip');

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
