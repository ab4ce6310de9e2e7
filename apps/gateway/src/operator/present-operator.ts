import type {
  AuditEntry,
  IngestionBatch,
  OperatorAccount,
  OperatorLimits,
  OperatorSession,
} from '@turnpike/contract/dashboard/operator-pages';
import { accountProfile, remainingSeconds } from '../accounts/account.ts';
import type { LimitChange } from '../accounts/manage-account.ts';
import type { AuditRow } from '../audit/audit-store.ts';
import type { IngestionBatchRow } from '../bandwidth/ingestion-store.ts';
import { iso, isoOrNull } from '../http/iso.ts';
import { presentRow } from '../sessions/present-session-page.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { AccountRow, SessionRow } from '../store/tables.ts';
import type { AccountFacts } from './overview-store.ts';

/** Formats rows of the store for an operator. */

export function presentAccount(account: AccountRow, facts: AccountFacts): OperatorAccount {
  const cap = account.browser_seconds_cap;
  return {
    ...accountProfile(account),
    limits: {
      concurrent: account.concurrent_limit,
      browserSecondsCap: cap,
      createsPerMinute: account.creates_per_minute,
    },
    usage: {
      browserSeconds: account.browser_seconds,
      remainingSeconds: cap === null ? null : remainingSeconds(account),
      running: facts.running,
    },
    signIn: {
      password: facts.hasPassword,
      lastAt: isoOrNull(facts.lastSignInAt),
      invitedUntil: isoOrNull(facts.invitedUntil),
    },
  };
}

export function limitColumns({
  concurrent,
  browserSecondsCap,
  createsPerMinute,
}: Partial<OperatorLimits>): LimitChange {
  return {
    ...(concurrent === undefined ? {} : { concurrent_limit: concurrent }),
    ...(browserSecondsCap === undefined ? {} : { browser_seconds_cap: browserSecondsCap }),
    ...(createsPerMinute === undefined ? {} : { creates_per_minute: createsPerMinute }),
  };
}

/** Leaves out the session's URLs, which are its owner's. */
export function presentOperatorSession(session: SessionRow, email: string, now: number): OperatorSession {
  return { ...presentRow(session, now), accountId: session.account_id, email, host: session.host };
}

export function presentBatch({ at, bytes, errors, ...batch }: IngestionBatchRow): IngestionBatch {
  return { ...batch, at: iso(at), bytes: Number(bytes), errors: readStoredJson(errors) };
}

export function presentAudit({ at, detail, ...entry }: AuditRow): AuditEntry {
  return { ...entry, at: iso(at), detail: readStoredJson(detail) };
}
