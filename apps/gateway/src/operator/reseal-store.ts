import type { Database } from '../store/database.ts';

/** A sealed value in its row, and how to replace it there. */
export interface SealedValue<Sealed extends string | Uint8Array> {
  sealed: Sealed;
  /** Replaces the value if it is still the same. */
  replace(sealed: Sealed): Promise<void>;
}

const pageSize = 200;

export interface SealedAccount {
  id: string;
  statsToken: SealedValue<string> | undefined;
  proxyPassword: SealedValue<string> | undefined;
}

export async function* sealedAccounts(db: Database): AsyncGenerator<SealedAccount> {
  const column = (id: string, name: 'stats_token_sealed' | 'proxy_password_sealed', sealed: string | null) =>
    sealed === null
      ? undefined
      : {
          sealed,
          async replace(next: string) {
            await db
              .updateTable('accounts')
              .set({ [name]: next })
              .where('id', '=', id)
              .where(name, '=', sealed)
              .execute();
          },
        };
  for (let last = ''; ; ) {
    const rows = await db
      .selectFrom('accounts')
      .select(['id', 'stats_token_sealed', 'proxy_password_sealed'])
      .where('id', '>', last)
      .orderBy('id')
      .limit(pageSize)
      .execute();
    for (const { id, stats_token_sealed, proxy_password_sealed } of rows) {
      yield {
        id,
        statsToken: column(id, 'stats_token_sealed', stats_token_sealed),
        proxyPassword: column(id, 'proxy_password_sealed', proxy_password_sealed),
      };
    }
    last = rows.at(-1)?.id ?? '';
    if (rows.length < pageSize) return;
  }
}

export async function* sealedWebhooks(db: Database): AsyncGenerator<SealedValue<string> & { id: string }> {
  for (let last = ''; ; ) {
    const rows = await db
      .selectFrom('webhooks')
      .select(['id', 'secret_sealed'])
      .where('id', '>', last)
      .orderBy('id')
      .limit(pageSize)
      .execute();
    for (const { id, secret_sealed: sealed } of rows) {
      yield {
        id,
        sealed,
        async replace(next) {
          await db
            .updateTable('webhooks')
            .set({ secret_sealed: next })
            .where('id', '=', id)
            .where('secret_sealed', '=', sealed)
            .execute();
        },
      };
    }
    last = rows.at(-1)?.id ?? '';
    if (rows.length < pageSize) return;
  }
}

export async function* sealedSigningKeys(db: Database): AsyncGenerator<SealedValue<string> & { id: string }> {
  const rows = await db.selectFrom('signing_keys').select(['id', 'private_key_sealed']).execute();
  for (const { id, private_key_sealed: sealed } of rows) {
    yield {
      id,
      sealed,
      async replace(next) {
        await db
          .updateTable('signing_keys')
          .set({ private_key_sealed: next })
          .where('id', '=', id)
          .where('private_key_sealed', '=', sealed)
          .execute();
      },
    };
  }
}

/** Profiles or caches. Reads one at a time: each may be megabytes. */
export async function* sealedProfiles(
  db: Database,
  table: 'saved_profiles' | 'saved_caches',
): AsyncGenerator<SealedValue<Uint8Array> & { accountId: string; name: string }> {
  const keys = await db.selectFrom(table).select(['account_id', 'name']).execute();
  for (const { account_id: accountId, name } of keys) {
    const row = await db
      .selectFrom(table)
      .select(['sealed', 'updated_at'])
      .where('account_id', '=', accountId)
      .where('name', '=', name)
      .executeTakeFirst();
    if (!row) continue;
    yield {
      accountId,
      name,
      sealed: row.sealed,
      async replace(sealed) {
        await db
          .updateTable(table)
          .set({ sealed })
          .where('account_id', '=', accountId)
          .where('name', '=', name)
          .where('updated_at', '=', row.updated_at)
          .execute();
      },
    };
  }
}

/** Extensions. Reads one at a time: each may be megabytes. */
export async function* sealedExtensions(
  db: Database,
): AsyncGenerator<SealedValue<Uint8Array> & { accountId: string; id: string }> {
  const keys = await db.selectFrom('extensions').select(['account_id', 'id']).execute();
  for (const { account_id: accountId, id } of keys) {
    const row = await db
      .selectFrom('extensions')
      .select(['sealed', 'checksum'])
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) continue;
    yield {
      accountId,
      id,
      sealed: row.sealed,
      async replace(sealed) {
        await db
          .updateTable('extensions')
          .set({ sealed })
          .where('account_id', '=', accountId)
          .where('id', '=', id)
          .where('checksum', '=', row.checksum)
          .execute();
      },
    };
  }
}
