import { recordAudit } from '../audit/audit-store.ts';
import { ApiError } from '../http/api-error.ts';
import type { Context } from '../seams/context.ts';
import type { UserRow } from '../store/tables.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { admitTry, openUserSession, ownLimits } from './sign-in.ts';
import { setPassword } from './user-store.ts';

/** Signs all browsers out, and answers the token that keeps this one in. Tries are bounded. */
export async function changePassword(
  { db, now }: Pick<Context, 'db' | 'now'>,
  user: UserRow,
  { current, password, address }: { current: string; password: string; address: string },
): Promise<string> {
  await admitTry(db, ownLimits(user.id), now());
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
