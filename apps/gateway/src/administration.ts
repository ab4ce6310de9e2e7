/** What the commands of an operator do on the store itself, without a running gateway. */
export { accountLimits, accountProfile, remainingSeconds } from './accounts/account.ts';
export { proxyCredentials, statsToken } from './accounts/account-credentials.ts';
export { findAccountByEmail, listAccounts } from './accounts/account-store.ts';
export {
  type AccountSecrets,
  createAccount,
  getAccount,
  type LimitChange,
  reinstateAccount,
  rotateKey,
  setLimits,
  suspendAccount,
} from './accounts/manage-account.ts';
export { ingestUsage } from './bandwidth/ingest-usage.ts';
export type { IngestResult } from './bandwidth/ingestion-store.ts';
export { parseExactly } from './bandwidth/usage-record.ts';
export { drainHost, type HostView, listHosts, removeHost, undrainHost } from './hosts/hosts.ts';
export { ApiError } from './http/api-error.ts';
export { MailError, Mailer } from './mail/mailer.ts';
export { BackupError, backUpStore, restoreStore } from './operator/backup.ts';
export { listOperatorTokens } from './operator/operator-token-store.ts';
export { createOperatorToken, revokeOperatorToken } from './operator/operator-tokens.ts';
export { resealAll } from './operator/reseal.ts';
export { findStorageProblem } from './recordings/storage/storage-problem.ts';
export { newMailId } from './secrets/new-ids.ts';
export type { Sealer } from './secrets/sealer.ts';
export { rotateSigningKey } from './secrets/signing-keys.ts';
export { storeTime } from './store/clock/store-clock.ts';
export { type Database, openDatabase, StoreOpenError } from './store/database.ts';
export { isStoreOutage, StoreBusyError } from './store/outage.ts';
export type { AccountRow } from './store/tables.ts';
export { inviteAccount, inviteOperator } from './users/links.ts';
export { findUserByEmail, listOperators } from './users/user-store.ts';
