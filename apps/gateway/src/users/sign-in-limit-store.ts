import { sql } from 'kysely';
import type { Database } from '../store/database.ts';

/** Allows `tries` at once, and one more every `everyMs`. */
export interface SignInLimit {
  key: string;
  tries: number;
  everyMs: number;
}

/**
 * Takes an attempt in one statement, by the generic cell rate algorithm: the row says until when the allowance is used
 * up. An attempt adds its share, and one that would reach too far ahead changes nothing. Undefined means taken.
 * Otherwise the seconds until the next one.
 */
export async function takeAttempt(
  db: Database,
  { key, tries, everyMs }: SignInLimit,
  now: number,
): Promise<number | undefined> {
  const furthest = now + tries * everyMs;
  const { rows } = await sql`
    insert into sign_in_limits (key, used_until) values (${key}, ${now + everyMs})
    on conflict (key) do update
      set used_until = case when sign_in_limits.used_until > ${now}
        then sign_in_limits.used_until + ${everyMs} else excluded.used_until end
      where sign_in_limits.used_until + ${everyMs} <= ${furthest}
    returning used_until
  `.execute(db);
  if (rows.length > 0) return undefined;
  const row = await db
    .selectFrom('sign_in_limits')
    .select('used_until')
    .where('key', '=', key)
    .executeTakeFirst();
  const waitMs = (row?.used_until ?? now) + everyMs - furthest;
  return Math.max(1, Math.ceil(waitMs / 1000));
}

/** Deletes limits that no longer limit anybody. */
export async function pruneSignInLimits(db: Database, now: number): Promise<void> {
  await db.deleteFrom('sign_in_limits').where('used_until', '<=', now).execute();
}
