import { accountStatuses } from '@turnpike/contract/account';
import { defaultLimits } from '../accounts/account.ts';
import {
  type AccountChange,
  findAccountByEmail,
  insertAccount,
  updateAccount,
} from '../accounts/account-store.ts';
import type { Sealer } from '../accounts/sealing.ts';
import {
  hashSecret,
  newAccountId,
  newApiKey,
  newProxyPassword,
  newProxyUser,
  newStatsToken,
} from '../accounts/secrets.ts';
import type { Database } from '../store/database.ts';
import type { AccountRow } from '../store/tables.ts';

/** What an operator may do with accounts. Every change holds from the next request on, on every gateway. */

export class OperatorError extends Error {
  override name = 'OperatorError';
}

const [active, suspended] = accountStatuses;

/** Shown once; only the key cannot be shown again. */
export interface AccountSecrets {
  apiKey: string;
  statsToken: string;
  proxyUser: string;
  proxyPassword: string;
}

export async function createAccount(
  db: Database,
  sealer: Sealer,
  { email, name }: { email: string; name: string },
): Promise<{ account: AccountRow } & AccountSecrets> {
  const address = email.trim().toLowerCase();
  if (!/^[^\s@]+@[^\s@]+$/.test(address)) throw new OperatorError(`${email} is not an e-mail address`);
  const secrets = {
    apiKey: newApiKey(),
    statsToken: newStatsToken(),
    proxyUser: newProxyUser(),
    proxyPassword: newProxyPassword(),
  };
  const account = await insertAccount(db, {
    id: newAccountId(),
    email: address,
    name,
    status: active,
    created_at: Date.now(),
    key_hash: hashSecret(secrets.apiKey),
    ...sealedToken(sealer, secrets.statsToken),
    proxy_user: secrets.proxyUser,
    ...sealedPassword(sealer, secrets.proxyPassword),
    ...defaultLimits,
  });
  if (!account) throw new OperatorError(`there is already an account ${address}`);
  return { account, ...secrets };
}

const sealedToken = (sealer: Sealer, token: string) => ({
  stats_token_hash: hashSecret(token),
  stats_token_sealed: sealer.seal(token),
});

const sealedPassword = (sealer: Sealer, password: string) => ({
  proxy_password_hash: hashSecret(password),
  proxy_password_sealed: sealer.seal(password),
});

/** The account's statistics token; a new one, which kills the old, when asked to rotate or there is none. */
export async function statsToken(
  db: Database,
  sealer: Sealer,
  email: string,
  { rotate = false } = {},
): Promise<string> {
  const { stats_token_sealed: sealed } = await getAccount(db, email);
  if (sealed && !rotate) return reveal(sealer, sealed);
  const token = newStatsToken();
  await changeAccount(db, email, sealedToken(sealer, token));
  return token;
}

/** The account's proxy user name and password; a new password when asked to rotate or there is none. */
export async function proxyCredentials(
  db: Database,
  sealer: Sealer,
  email: string,
  { rotate = false } = {},
): Promise<{ proxyUser: string; proxyPassword: string }> {
  const { proxy_user, proxy_password_sealed: sealed } = await getAccount(db, email);
  const proxyUser = proxy_user ?? newProxyUser();
  if (proxy_user && sealed && !rotate) return { proxyUser, proxyPassword: reveal(sealer, sealed) };
  const proxyPassword = newProxyPassword();
  await changeAccount(db, email, { proxy_user: proxyUser, ...sealedPassword(sealer, proxyPassword) });
  return { proxyUser, proxyPassword };
}

function reveal(sealer: Sealer, sealed: string): string {
  try {
    return sealer.open(sealed);
  } catch (cause) {
    throw new OperatorError(
      'it was sealed under another key: set TURNPIKE_SECRET_KEY to that one, or rotate',
      { cause },
    );
  }
}

export async function getAccount(db: Database, email: string): Promise<AccountRow> {
  return existing(await findAccountByEmail(db, email.trim().toLowerCase()), email);
}

export type LimitChange = Pick<
  AccountChange,
  'concurrent_limit' | 'browser_seconds_cap' | 'creates_per_minute'
>;

export const setLimits = (db: Database, email: string, change: LimitChange) =>
  changeAccount(db, email, change);
export const suspendAccount = (db: Database, email: string) =>
  changeAccount(db, email, { status: suspended });
export const reinstateAccount = (db: Database, email: string) => changeAccount(db, email, { status: active });

export async function rotateKey(
  db: Database,
  email: string,
): Promise<{ account: AccountRow; apiKey: string }> {
  const apiKey = newApiKey();
  return { account: await changeAccount(db, email, { key_hash: hashSecret(apiKey) }), apiKey };
}

async function changeAccount(db: Database, email: string, change: AccountChange): Promise<AccountRow> {
  return existing(await updateAccount(db, email.trim().toLowerCase(), change), email);
}

function existing(account: AccountRow | undefined, email: string): AccountRow {
  if (!account) throw new OperatorError(`there is no account ${email}`);
  return account;
}
