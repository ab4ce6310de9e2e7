import { sql } from 'kysely';
import type { Database } from '../store/database.ts';
import { jsonRows } from '../store/json-rows.ts';
import type { UsageRecord } from './usage-record.ts';

type Owner = UsageRecord['owner'];

export interface AccountIds {
  of(owner: Owner): string | undefined;
}

/** Finds the accounts that records name, by id, e-mail address or proxy user name, in one query. */
export async function findAccountIds(db: Database, owners: readonly Owner[]): Promise<AccountIds> {
  const names = new Set(owners.map(nameOf));
  if (names.size === 0) return { of: () => undefined };
  const { rows } = await sql<{ id: string; email: string; proxy_user: string | null }>`
    select id, email, proxy_user from accounts
    join ${jsonRows(
      db,
      [...names].map((name) => [name]),
      1,
    )} on c0 in (id, email, proxy_user)
  `.execute(db);
  const byAccount = new Map(
    rows.flatMap(
      ({ id, email }) =>
        [
          [id, id],
          [email, id],
        ] as const,
    ),
  );
  const byUser = new Map(rows.map(({ id, proxy_user }) => [proxy_user, id]));
  return { of: (owner) => ('account' in owner ? byAccount.get(nameOf(owner)) : byUser.get(owner.proxyUser)) };
}

/** E-mail addresses are stored in lower case. */
const nameOf = (owner: Owner): string => ('account' in owner ? owner.account.toLowerCase() : owner.proxyUser);
