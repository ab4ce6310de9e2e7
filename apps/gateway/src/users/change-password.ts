import { recordAudit } from '../audit/audit-store.ts';
import { ApiError } from '../http/api-error.ts';
import type { Context } from '../seams/context.ts';
import type { UserRow } from '../store/tables/people-tables.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { checkSignInLimits, openUserSession, ownLimits } from './sign-in.ts';
import { setPassword } from './user-store.ts';

/**
 * Changes a password and signs all browsers out. Returns a token that keeps this one signed in. Attempts are limited.
 */
export async function changePassword(
  { db, now }: Pick<Context, 'db' | 'now'>,
  user: UserRow,
  { current, password, address }: { current: string; password: string; address: string },
): Promise<string> {
  await checkSignInLimits(db, ownLimits(user.id), now());
  const former = user.password_hash;
  const wrong = () =>
    new ApiError('badRequest', { message: 'The current password is wrong', field: 'current' });
  if (!(await verifyPassword(current, former)) || former === null) throw wrong();
  const hash = await hashPassword(password);
  return db.transaction().execute(async (trx) => {
    if (!(await setPassword(trx, user.id, hash, former))) throw wrong();
    const by = { name: user.email, address };
    await recordAudit(trx, { by, action: 'password.set', target: user.email, detail: { by: 'password' } });
    return openUserSession(trx, user.id, now());
  });
}
