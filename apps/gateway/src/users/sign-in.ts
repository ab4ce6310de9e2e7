import { randomBytes } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Transaction } from 'kysely';
import { ApiError } from '../http/api-error.ts';
import type { Context } from '../seams/context.ts';
import { hashSecret } from '../secrets/hash-secret.ts';
import type { Sealer } from '../secrets/sealer.ts';
import type { Database } from '../store/database.ts';
import type { Tables } from '../store/tables.ts';
import { knownDevice } from './device.ts';
import { verifyPassword } from './password.ts';
import { forgetTries, type SignInLimit, takeTry } from './sign-in-limit-store.ts';
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
/** A browser that is not used for this long is signed out, */
const idleMs = 12 * hourMs;
/** and after this long in any case. */
const longestMs = 30 * 24 * hourMs;
/** Not every request is worth a write. */
const touchEveryMs = 60_000;

const holding = (now: number): SessionTimes => ({ seenSince: now - idleMs, madeSince: now - longestMs });

const fewTries = { tries: 10, everyMs: 60_000 };

/**
 * Tries of strangers: from one network for any e-mail address, and for one. There is none for an e-mail address from
 * anywhere: everybody who knows it could then lock its owner out.
 */
const strangerLimits = (email: string, address: string): SignInLimit[] => [
  { key: `address ${network(address)}`, tries: 30, everyMs: 10_000 },
  { key: `email ${hashSecret(`${email} ${network(address)}`)}`, ...fewTries },
];

/** Attempts of a browser that has signed in with that e-mail address before. No other browser can use them up. */
const deviceLimits = (device: string): SignInLimit[] => [
  { key: `device ${hashSecret(device)}`, ...fewTries },
];

/** Attempts of a user who is signed in and enters the password again. */
export const ownLimits = (userId: string): SignInLimit[] => [{ key: `user ${userId}`, ...fewTries }];

/** Who has one IPv6 address has a network of them. */
function network(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length;
  return [...groups, ...Array<string>(Math.max(0, missing)).fill('0'), ...(tail?.split(':') ?? [])]
    .slice(0, 4)
    .join(':');
}

export interface UserContext extends Pick<Context, 'db' | 'now'> {
  sealer: Sealer;
}

export interface Attempt {
  email: string;
  password: string;
  address: string;
  /** What the browser's device cookie says. */
  device?: string | undefined;
}

/** A token for the cookie, which was never used before, and whose it is. */
export async function signIn(
  { db, now, sealer }: UserContext,
  { email, password, address, device }: Attempt,
): Promise<SignedIn & { token: string }> {
  const known = email.trim().toLowerCase();
  const own = knownDevice(sealer, known, device);
  await admitTry(db, own ? deviceLimits(own) : strangerLimits(known, address), now());
  const user = await findUserByEmail(db, known);
  const hash = user?.password_hash;
  if (!(await verifyPassword(password, hash)) || !user || !hash) throw new ApiError('wrongPassword');
  const account = await accountOfUser(db, user);
  if (account && account.status !== 'active') throw new ApiError('accountSuspended');
  const token = await db.transaction().execute(async (trx) => {
    if (!(await noteSignIn(trx, user.id, hash, now()))) throw new ApiError('wrongPassword');
    return openUserSession(trx, user.id, now());
  });
  await forgetTries(db, now());
  return { user, account, token };
}

export async function admitTry(db: Database, taken: readonly SignInLimit[], now: number): Promise<void> {
  for (const limit of taken) {
    const retryAfterSeconds = await takeTry(db, limit, now);
    if (retryAfterSeconds !== undefined) throw new ApiError('signInLimit', { retryAfterSeconds });
  }
}

/** Always a new token: nobody can have known it before. */
export async function openUserSession(
  trx: Transaction<Tables>,
  userId: string,
  now: number,
): Promise<string> {
  const token = randomBytes(32).toString('hex');
  await insertUserSession(trx, { userId, tokenHash: hashSecret(token), now });
  await forgetUserSessions(trx, userId, holding(now));
  return token;
}

/** Whose a cookie's token is, while it holds; using it keeps it. */
export async function findSession(db: Database, token: string, now: number): Promise<SignedIn | undefined> {
  const tokenHash = hashSecret(token);
  const signedIn = await findSignedIn(db, tokenHash, holding(now));
  if (signedIn && signedIn.seenAt < now - touchEveryMs) await touchUserSession(db, tokenHash, now);
  return signedIn;
}
