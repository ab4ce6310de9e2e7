import { accountStatuses } from '@turnpike/contract/account';
import { defaultLimits } from '../accounts/account.ts';
import {
  type AccountChange,
  findAccountByEmail,
  insertAccount,
  updateAccount,
} from '../accounts/account-store.ts';
import { hashApiKey, newAccountId, newApiKey } from '../accounts/secrets.ts';
import type { Database } from '../store/database.ts';
import type { AccountRow } from '../store/tables.ts';

/** What an operator may do with accounts. Every change holds from the next request on, on every gateway. */

export class OperatorError extends Error {
  override name = 'OperatorError';
}

const [active, suspended] = accountStatuses;

export async function createAccount(
  db: Database,
  { email, name }: { email: string; name: string },
): Promise<{ account: AccountRow; apiKey: string }> {
  const address = email.trim().toLowerCase();
  if (!/^[^\s@]+@[^\s@]+$/.test(address)) throw new OperatorError(`${email} is not an e-mail address`);
  const apiKey = newApiKey();
  const account = await insertAccount(db, {
    id: newAccountId(),
    email: address,
    name,
    status: active,
    created_at: Date.now(),
    key_hash: hashApiKey(apiKey),
    ...defaultLimits,
  });
  if (!account) throw new OperatorError(`there is already an account ${address}`);
  return { account, apiKey };
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
  return { account: await changeAccount(db, email, { key_hash: hashApiKey(apiKey) }), apiKey };
}

async function changeAccount(db: Database, email: string, change: AccountChange): Promise<AccountRow> {
  return existing(await updateAccount(db, email.trim().toLowerCase(), change), email);
}

function existing(account: AccountRow | undefined, email: string): AccountRow {
  if (!account) throw new OperatorError(`there is no account ${email}`);
  return account;
}
