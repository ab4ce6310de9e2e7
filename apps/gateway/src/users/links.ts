import { randomBytes } from 'node:crypto';
import { type CreatedLink, type Link, type LinkKind, linkKinds } from '@turnpike/contract/dashboard/people';
import { emailAddress, getAccount, isAccountEmail } from '../accounts/manage-account.ts';
import { type Actor, cli } from '../audit/actor.ts';
import { recordAudit } from '../audit/audit-store.ts';
import { ApiError, badRequest } from '../http/api-error.ts';
import { iso } from '../http/iso.ts';
import type { Context } from '../seams/context.ts';
import { hashSecret } from '../secrets/hash-secret.ts';
import { atomically } from '../store/atomically.ts';
import { storeTime } from '../store/clock/store-clock.ts';
import type { Database } from '../store/database.ts';
import type { UserRow } from '../store/tables/people-tables.ts';
import { findLink, replaceLink, takeLink } from './link-store.ts';
import { hashPassword } from './password.ts';
import { openUserSession } from './sign-in.ts';
import { accountOfUser, ensureUser, findUser, type SignedIn, setPassword } from './user-store.ts';

/** Links with which a user sets a password: an invitation, or a reset. Each works once. */

const [invitation] = linkKinds;
const hourMs = 3_600_000;
const lifetimeMs: Record<LinkKind, number> = { invitation: 7 * 24 * hourMs, reset: hourMs };

export interface LinkOptions {
  /** The gateway's URL for people. */
  publicUrl: string;
  by?: Actor;
  /** The store's time, where a gateway runs. */
  now?: () => number;
}

/** Creates a link for the user of an account, and the user if there is none. */
export function inviteAccount(
  db: Database,
  email: string,
  { by = cli, kind = invitation, ...options }: LinkOptions & { kind?: LinkKind },
): Promise<CreatedLink> {
  return atomically(db, async (trx) => {
    // The audit log first: a write takes the lock.
    const address = emailAddress(email);
    await recordAudit(trx, { by, action: `account.${kind}`, target: address });
    const account = await getAccount(trx, address);
    const user = await ensureUser(trx, { email: address, role: 'account', accountId: account.id });
    if (!user) throw badRequest(`${address} is the e-mail address of an operator.`, { field: 'email' });
    return createLink(trx, user, kind, options);
  });
}

/** Creates a link for an operator, and the operator if there is none. */
export function inviteOperator(
  db: Database,
  email: string,
  { by = cli, ...options }: LinkOptions,
): Promise<CreatedLink> {
  return atomically(db, async (trx) => {
    const address = emailAddress(email);
    await recordAudit(trx, { by, action: 'operator.invitation', target: address });
    const taken = await isAccountEmail(trx, address);
    const user = taken
      ? undefined
      : await ensureUser(trx, { email: address, role: 'operator', accountId: null });
    if (!user) throw badRequest(`${address} is the e-mail address of an account.`, { field: 'email' });
    return createLink(trx, user, invitation, options);
  });
}

type Transaction = Parameters<typeof replaceLink>[0];

/** Creates a link for a user. It replaces an earlier one. */
export async function createLink(
  trx: Transaction,
  user: UserRow,
  kind: LinkKind,
  { publicUrl, now }: LinkOptions,
): Promise<CreatedLink> {
  const token = randomBytes(32).toString('hex');
  const expiresAt = (now?.() ?? (await storeTime(trx))) + lifetimeMs[kind];
  await replaceLink(trx, { user_id: user.id, token_hash: hashSecret(token), kind, expires_at: expiresAt });
  // In the fragment, so that it appears in no server's log and no referrer.
  const url = `${publicUrl.replace(/\/$/, '')}/welcome#token=${token}`;
  return { url, expiresAt: iso(expiresAt) };
}

export async function readLink({ db, now }: Pick<Context, 'db' | 'now'>, token: string): Promise<Link> {
  const link = await findLink(db, hashSecret(token), now());
  const user = link && (await findUser(db, link.user_id));
  if (!link || !user) throw new ApiError('linkGone');
  const { email, role } = user;
  return { kind: link.kind, email, role, expiresAt: iso(link.expires_at) };
}

/** Sets the password with a link. Signs all other browsers out and this one in, with a new token for its cookie. */
export async function redeemLink(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { token, password, address }: { token: string; password: string; address: string },
): Promise<SignedIn & { token: string }> {
  // Checks the link before hashing, which is expensive.
  await readLink({ db, now }, token);
  const hash = await hashPassword(password);
  return db.transaction().execute(async (trx) => {
    const link = await takeLink(trx, hashSecret(token), now());
    const user = link && (await findUser(trx, link.user_id));
    if (!link || !user) throw new ApiError('linkGone');
    await setPassword(trx, user.id, hash);
    await recordAudit(trx, {
      by: { name: user.email, address },
      action: 'password.set',
      target: user.email,
      detail: { by: link.kind },
    });
    const account = await accountOfUser(trx, user);
    return { user, account, token: await openUserSession(trx, user.id, now()) };
  });
}
