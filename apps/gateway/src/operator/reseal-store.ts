import { sql } from 'kysely';
import type { Database } from '../store/database.ts';

/** A sealed value in its row, and how to replace it there. */
export interface SealedValue<Sealed extends string | Uint8Array> {
  sealed: Sealed;
  /** Replaces the value if it is still the same. */
  replace(sealed: Sealed): Promise<void>;
}

const pageSize = 200;

/** The columns with sealed texts, by table. Each of these tables has an `id`. */
export interface SealedColumns {
  accounts: 'stats_token_sealed' | 'proxy_password_sealed';
  webhooks: 'secret_sealed';
  signing_keys: 'private_key_sealed';
  crawls: 'plan_sealed';
  model_endpoints: 'key_sealed';
  saved_proxies: 'url_sealed' | 'client_key_sealed';
}

export async function* sealedTexts<Table extends keyof SealedColumns>(
  db: Database,
  table: Table,
  column: SealedColumns[Table],
): AsyncGenerator<SealedValue<string> & { id: string }> {
  const [rowsOf, value] = [sql.table(table), sql.ref(column)];
  for (let last = ''; ; ) {
    const { rows } = await sql<{ id: string; sealed: string }>`
      select id, ${value} as sealed from ${rowsOf}
      where id > ${last} and ${value} is not null order by id limit ${pageSize}`.execute(db);
    for (const { id, sealed } of rows) {
      yield {
        id,
        sealed,
        async replace(next) {
          await sql`update ${rowsOf} set ${value} = ${next} where id = ${id} and ${value} = ${sealed}`.execute(
            db,
          );
        },
      };
    }
    last = rows.at(-1)?.id ?? '';
    if (rows.length < pageSize) return;
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

/** Snapshots. Reads one at a time: each may be megabytes. Each is written once. */
export async function* sealedSnapshots(
  db: Database,
): AsyncGenerator<SealedValue<Uint8Array> & { accountId: string; id: string }> {
  const keys = await db.selectFrom('snapshots').select(['account_id', 'id']).execute();
  for (const { account_id: accountId, id } of keys) {
    const row = await db.selectFrom('snapshots').select('sealed').where('id', '=', id).executeTakeFirst();
    if (!row) continue;
    yield {
      accountId,
      id,
      sealed: row.sealed,
      async replace(sealed) {
        await db.updateTable('snapshots').set({ sealed }).where('id', '=', id).execute();
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

/** Results of crawls. Reads one at a time: each may be megabytes, and there may be many. */
export async function* sealedResults(
  db: Database,
): AsyncGenerator<SealedValue<Uint8Array> & { crawlId: string; number: number }> {
  for (let last = { crawl_id: '', number: 0 }; ; ) {
    const keys = await db
      .selectFrom('crawl_results')
      .select(['crawl_id', 'number'])
      .where((e) =>
        e.or([
          e('crawl_id', '>', last.crawl_id),
          e.and([e('crawl_id', '=', last.crawl_id), e('number', '>', last.number)]),
        ]),
      )
      .orderBy('crawl_id')
      .orderBy('number')
      .limit(pageSize)
      .execute();
    for (const { crawl_id: crawlId, number } of keys) {
      const row = await db
        .selectFrom('crawl_results')
        .select('sealed')
        .where('crawl_id', '=', crawlId)
        .where('number', '=', number)
        .executeTakeFirst();
      if (!row) continue;
      yield {
        crawlId,
        number,
        sealed: row.sealed,
        // A result is written once.
        async replace(sealed) {
          await db
            .updateTable('crawl_results')
            .set({ sealed })
            .where('crawl_id', '=', crawlId)
            .where('number', '=', number)
            .execute();
        },
      };
    }
    last = keys.at(-1) ?? last;
    if (keys.length < pageSize) return;
  }
}

/** Answers to page calls, which are kept for a day. Each is written once. */
export async function* sealedAnswers(
  db: Database,
): AsyncGenerator<SealedValue<Uint8Array> & { sessionId: string }> {
  const keys = await db.selectFrom('page_answers').select('session_id').execute();
  for (const { session_id: sessionId } of keys) {
    const row = await db
      .selectFrom('page_answers')
      .select('sealed')
      .where('session_id', '=', sessionId)
      .executeTakeFirst();
    if (!row) continue;
    yield {
      sessionId,
      sealed: row.sealed,
      async replace(sealed) {
        await db.updateTable('page_answers').set({ sealed }).where('session_id', '=', sessionId).execute();
      },
    };
  }
}
