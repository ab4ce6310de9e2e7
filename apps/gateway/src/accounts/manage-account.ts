import { accountStatuses } from '@turnpike/contract/account';
import { type Actor, cli } from '../audit/actor.ts';
import { type AuditEvent, recordAudit } from '../audit/audit-store.ts';
import { badRequest } from '../http/api-error.ts';
import { hashSecret } from '../secrets/hash-secret.ts';
import {
  newAccountId,
  newApiKey,
  newProxyPassword,
  newProxyUser,
  newStatsToken,
} from '../secrets/new-ids.ts';
import type { Sealer } from '../secrets/sealer.ts';
import { atomically } from '../store/atomically.ts';
import type { Database } from '../store/database.ts';
import type { AccountRow } from '../store/tables.ts';
import { defaultLimits } from './account.ts';
import { type AccountChange, findAccountByEmail, insertAccount, updateAccount } from './account-store.ts';
import { sealedPassword, sealedToken } from './sealed-credentials.ts';

/** Creates and changes accounts. A change takes effect on the next request, on every gateway. */

const [active, suspended] = accountStatuses;

/** The secrets of a new account. All but the API key can be shown again. */
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
      key_hash: hashSecret(secrets.apiKey),
      ...sealedToken(sealer, id, secrets.statsToken),
      proxy_user: secrets.proxyUser,
      ...sealedPassword(sealer, id, secrets.proxyPassword),
      ...defaultLimits,
      ...limits,
    });
    if (!account)
      throw badRequest(`An account with the e-mail address ${address} already exists.`, { field: 'email' });
    await recordAudit(trx, { by, action: 'account.create', target: address, detail: { name, ...limits } });
    return { account, ...secrets };
  });
}

/** Normalizes an e-mail address to the form that the store has. */
export function emailAddress(text: string): string {
  const address = text.trim().toLowerCase();
  if (!/^[^\s@\0]+@[^\s@\0]+$/.test(address))
    throw badRequest(`${text} is not an e-mail address.`, { field: 'email' });
  return address;
}

export async function getAccount(db: Database, email: string): Promise<AccountRow> {
  return existing(await findAccountByEmail(db, email.trim().toLowerCase()), email);
}

/** Tells whether an account has this e-mail address. */
export const isAccountEmail = async (db: Database, email: string): Promise<boolean> =>
  (await findAccountByEmail(db, email)) !== undefined;

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

/** Changes an account and writes the audit log, in one transaction. */
export function changeAccount(
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
  if (!account) throw badRequest(`There is no account ${email}.`);
  return account;
}
