import { associatedData } from '../secrets/associated-data.ts';
import type { Database } from '../store/database.ts';

/** Something that is sealed under the service's key, if anything is: it tells whether a key is the right one. */
export async function anySealedValue(db: Database): Promise<{ sealed: string; place: string } | undefined> {
  const account = await db
    .selectFrom('accounts')
    .select(['id', 'stats_token_sealed', 'proxy_password_sealed'])
    .where((e) => e.or([e('stats_token_sealed', 'is not', null), e('proxy_password_sealed', 'is not', null)]))
    .limit(1)
    .executeTakeFirst();
  if (!account) return undefined;
  const { id, stats_token_sealed: token, proxy_password_sealed: password } = account;
  if (token !== null) return { sealed: token, place: associatedData.statsToken(id) };
  return password === null ? undefined : { sealed: password, place: associatedData.proxyPassword(id) };
}
