import { randomBytes } from 'node:crypto';
import { clientNetwork } from '@turnpike/tunnel/addresses/client-network';
import type { Transaction } from 'kysely';
import { ApiError } from '../http/api-error.ts';
import type { Context } from '../seams/context.ts';
import { hashSecret } from '../secrets/hash-secret.ts';
import type { Sealer } from '../secrets/sealer.ts';
import type { Database } from '../store/database.ts';
import type { Tables } from '../store/tables.ts';
import { knownDevice } from './device.ts';
import { verifyPassword } from './password.ts';
import { pruneSignInLimits, type SignInLimit, takeAttempt } from './sign-in-limit-store.ts';
import {
  accountOfUser,
  findSignedIn,
  findUserByEmail,
  forgetUserSessions,
  insertUserSession,
  noteSignIn,
  type SessionTimes,
  type SignedIn,
  touchUserSession,
} from './user-store.ts';

const hourMs = 3_600_000;
/** A browser that is not used for this long is signed out. */
const idleMs = 12 * hourMs;
/** A browser is signed out after this long in any case. */
const longestMs = 30 * 24 * hourMs;
/** How often the last use is stored: not on every request. */
const touchEveryMs = 60_000;

const validSince = (now: number): SessionTimes => ({ seenSince: now - idleMs, madeSince: now - longestMs });

const fewAttempts = { tries: 10, everyMs: 60_000 };

/**
 * Limits for unknown browsers: from one network for any e-mail address, and for one address. There is no limit for an
 * address from anywhere: whoever knows it could lock its owner out.
 */
const strangerLimits = (email: string, address: string): SignInLimit[] => [
  { key: `address ${clientNetwork(address)}`, tries: 30, everyMs: 10_000 },
  { key: `email ${hashSecret(`${email} ${clientNetwork(address)}`)}`, ...fewAttempts },
];

/** Limits for a browser that has signed in with that address before. No other browser can use them up. */
const deviceLimits = (device: string): SignInLimit[] => [
  { key: `device ${hashSecret(device)}`, ...fewAttempts },
];

/** Limits for a user who is signed in and enters the password again. */
export const ownLimits = (userId: string): SignInLimit[] => [{ key: `user ${userId}`, ...fewAttempts }];

export interface UserContext extends Pick<Context, 'db' | 'now'> {
  sealer: Sealer;
}

export interface SignInAttempt {
  email: string;
  password: string;
  address: string;
  /** The value of the browser's device cookie. */
  device?: string | undefined;
}

/** Signs a user in. Returns a new token for the cookie, and whose it is. */
export async function signIn(
  { db, now, sealer }: UserContext,
  { email, password, address, device }: SignInAttempt,
): Promise<SignedIn & { token: string }> {
  const known = email.trim().toLowerCase();
  const own = knownDevice(sealer, known, device);
  await checkSignInLimits(db, own ? deviceLimits(own) : strangerLimits(known, address), now());
  const user = await findUserByEmail(db, known);
  const hash = user?.password_hash;
  if (!(await verifyPassword(password, hash)) || !user || !hash) throw new ApiError('wrongPassword');
  const account = await accountOfUser(db, user);
  if (account && account.status !== 'active') throw new ApiError('accountSuspended');
  const token = await db.transaction().execute(async (trx) => {
    if (!(await noteSignIn(trx, user.id, hash, now()))) throw new ApiError('wrongPassword');
    return openUserSession(trx, user.id, now());
  });
  await pruneSignInLimits(db, now());
  return { user, account, token };
}

export async function checkSignInLimits(
  db: Database,
  taken: readonly SignInLimit[],
  now: number,
  message?: string,
): Promise<void> {
  for (const limit of taken) {
    const retryAfterSeconds = await takeAttempt(db, limit, now);
    if (retryAfterSeconds !== undefined)
      throw new ApiError('signInLimit', { retryAfterSeconds, ...(message && { message }) });
  }
}

/** Opens a browser session, always with a new token that nobody can know. */
export async function openUserSession(
  trx: Transaction<Tables>,
  userId: string,
  now: number,
): Promise<string> {
  const token = randomBytes(32).toString('hex');
  await insertUserSession(trx, { userId, tokenHash: hashSecret(token), now });
  await forgetUserSessions(trx, userId, validSince(now));
  return token;
}

/** Finds who a cookie's token belongs to, while it is valid, and notes its use. */
export async function findSignedInUser(
  db: Database,
  token: string,
  now: number,
): Promise<SignedIn | undefined> {
  const tokenHash = hashSecret(token);
  const signedIn = await findSignedIn(db, tokenHash, validSince(now));
  if (signedIn && signedIn.seenAt < now - touchEveryMs) await touchUserSession(db, tokenHash, now);
  return signedIn;
}
