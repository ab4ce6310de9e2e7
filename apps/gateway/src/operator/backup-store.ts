import type { Database } from '../store/database.ts';

/** Something that is sealed under the service's key, if anything is: it tells whether a key is the right one. */
export async function anySealedValue(db: Database): Promise<string | undefined> {
  const account = await db
    .selectFrom('accounts')
    .select((e) => e.fn.coalesce('stats_token_sealed', 'proxy_password_sealed').as('sealed'))
    .where((e) => e.or([e('stats_token_sealed', 'is not', null), e('proxy_password_sealed', 'is not', null)]))
    .limit(1)
    .executeTakeFirst();
  return account?.sealed ?? undefined;
}
