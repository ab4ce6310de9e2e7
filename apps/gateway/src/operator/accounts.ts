import { accountStatuses } from '@turnpike/contract/account';
import { defaultLimits } from '../accounts/account.ts';
import {
  type AccountChange,
  findAccountByEmail,
  insertAccount,
  updateAccount,
} from '../accounts/account-store.ts';
import { sealedPlaces } from '../accounts/sealed-places.ts';
import type { Sealer } from '../accounts/sealing.ts';
import {
  hashSecret,
  newAccountId,
  newApiKey,
  newProxyPassword,
  newProxyUser,
  newStatsToken,
} from '../accounts/secrets.ts';
import { type Actor, cli } from '../audit/actor.ts';
import { type AuditEvent, recordAudit } from '../audit/audit-store.ts';
import { atomically } from '../store/atomically.ts';
import type { Database } from '../store/database.ts';
import type { AccountRow } from '../store/tables.ts';
import { OperatorError } from './operator-error.ts';

/** What an operator may do with accounts. Every change holds from the next request on, on every gateway. */

export { OperatorError };

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
  { email, name, limits = {} }: { email: string; name: string; limits?: LimitChange },
  by: Actor = cli,
): Promise<{ account: AccountRow } & AccountSecrets> {
  const address = emailAddress(email);
  const secrets = {
    apiKey: newApiKey(),
    statsToken: newStatsToken(),
    proxyUser: newProxyUser(),
    proxyPassword: newProxyPassword(),
  };
  const id = newAccountId();
  return atomically(db, async (trx) => {
    const account = await insertAccount(trx, {
      id,
      email: address,
      name,
      status: active,
      created_at: Date.now(),
      key_hash: hashSecret(secrets.apiKey),
      ...sealedToken(sealer, id, secrets.statsToken),
      proxy_user: secrets.proxyUser,
      ...sealedPassword(sealer, id, secrets.proxyPassword),
      ...defaultLimits,
      ...limits,
    });
    if (!account) throw new OperatorError(`there is already an account ${address}`, { field: 'email' });
    await recordAudit(trx, { by, action: 'account.create', target: address, detail: { name, ...limits } });
    return { account, ...secrets };
  });
}

/** In the form in which addresses are kept. */
export function emailAddress(text: string): string {
  const address = text.trim().toLowerCase();
  if (!/^[^\s@\0]+@[^\s@\0]+$/.test(address))
    throw new OperatorError(`${text} is not an e-mail address`, { field: 'email' });
  return address;
}

const sealedToken = (sealer: Sealer, accountId: string, token: string) => ({
  stats_token_hash: hashSecret(token),
  stats_token_sealed: sealer.seal(token, sealedPlaces.statsToken(accountId)),
});

const sealedPassword = (sealer: Sealer, accountId: string, password: string) => ({
  proxy_password_hash: hashSecret(password),
  proxy_password_sealed: sealer.seal(password, sealedPlaces.proxyPassword(accountId)),
});

interface SecretOptions {
  rotate?: boolean;
  by?: Actor;
}

/** The account's statistics token; a new one, which kills the old, when asked to rotate or there is none. */
export async function statsToken(
  db: Database,
  sealer: Sealer,
  email: string,
  { rotate = false, by = cli }: SecretOptions = {},
): Promise<string> {
  const { id, stats_token_sealed: sealed } = await getAccount(db, email);
  if (sealed && !rotate) return reveal(sealer, sealed, sealedPlaces.statsToken(id));
  const token = newStatsToken();
  await changeAccount(db, email, sealedToken(sealer, id, token), { by, action: 'stats-token.rotate' });
  return token;
}

/** The account's proxy user name and password; a new password when asked to rotate or there is none. */
export async function proxyCredentials(
  db: Database,
  sealer: Sealer,
  email: string,
  { rotate = false, by = cli }: SecretOptions = {},
): Promise<{ proxyUser: string; proxyPassword: string }> {
  const { id, proxy_user, proxy_password_sealed: sealed } = await getAccount(db, email);
  const proxyUser = proxy_user ?? newProxyUser();
  if (proxy_user && sealed && !rotate)
    return { proxyUser, proxyPassword: reveal(sealer, sealed, sealedPlaces.proxyPassword(id)) };
  const proxyPassword = newProxyPassword();
  const change = { proxy_user: proxyUser, ...sealedPassword(sealer, id, proxyPassword) };
  await changeAccount(db, email, change, { by, action: 'proxy-password.rotate' });
  return { proxyUser, proxyPassword };
}

function reveal(sealer: Sealer, sealed: string, place: string): string {
  try {
    return sealer.open(sealed, place);
  } catch (cause) {
    throw new OperatorError(
      'it was sealed under another key: add that one to TURNPIKE_SECRET_KEYS_OLD, or rotate',
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

export const setLimits = (db: Database, email: string, change: LimitChange, by: Actor = cli) =>
  changeAccount(db, email, change, { by, action: 'account.limits', detail: { ...change } });
export const suspendAccount = (db: Database, email: string, by: Actor = cli) =>
  changeAccount(db, email, { status: suspended }, { by, action: 'account.suspend' });
export const reinstateAccount = (db: Database, email: string, by: Actor = cli) =>
  changeAccount(db, email, { status: active }, { by, action: 'account.reinstate' });

export async function rotateKey(
  db: Database,
  email: string,
  by: Actor = cli,
): Promise<{ account: AccountRow; apiKey: string }> {
  const apiKey = newApiKey();
  const account = await changeAccount(
    db,
    email,
    { key_hash: hashSecret(apiKey) },
    { by, action: 'key.rotate' },
  );
  return { account, apiKey };
}

function changeAccount(
  db: Database,
  email: string,
  change: AccountChange,
  event: Omit<AuditEvent, 'target'>,
): Promise<AccountRow> {
  return atomically(db, async (trx) => {
    const account = existing(await updateAccount(trx, email.trim().toLowerCase(), change), email);
    await recordAudit(trx, { ...event, target: account.email });
    return account;
  });
}

function existing(account: AccountRow | undefined, email: string): AccountRow {
  if (!account) throw new OperatorError(`there is no account ${email}`);
  return account;
}
