import { associatedData } from '../secrets/associated-data.ts';
import type { Database } from '../store/database.ts';

/** Finds any sealed value, to check whether a key is the right one. */
export async function anySealedValue(db: Database): Promise<{ sealed: string; aad: string } | undefined> {
  const account = await db
    .selectFrom('accounts')
    .select(['id', 'stats_token_sealed', 'proxy_password_sealed'])
    .where((e) => e.or([e('stats_token_sealed', 'is not', null), e('proxy_password_sealed', 'is not', null)]))
    .limit(1)
    .executeTakeFirst();
  if (!account) return undefined;
  const { id, stats_token_sealed: token, proxy_password_sealed: password } = account;
  if (token !== null) return { sealed: token, aad: associatedData.statsToken(id) };
  return password === null ? undefined : { sealed: password, aad: associatedData.proxyPassword(id) };
}
