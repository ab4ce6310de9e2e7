import { randomBytes } from 'node:crypto';
import type { AuditAction } from '@turnpike/contract/dashboard/operator-pages';
import type { Selectable, Transaction } from 'kysely';
import { storeTimeIn } from '../store/clock/store-clock.ts';
import { containing } from '../store/containing.ts';
import type { Database } from '../store/database.ts';
import type { AuditTable } from '../store/tables/people-tables.ts';
import type { Tables } from '../store/tables.ts';
import { behind, type PageRequest } from '../store/time-page.ts';
import type { Actor } from './actor.ts';

export type AuditRow = Selectable<AuditTable>;

export interface AuditEvent {
  by: Actor;
  action: AuditAction;
  /** An account's e-mail address, a host's name, a session's id. */
  target: string;
  /** Must not contain a secret. */
  detail?: Record<string, unknown>;
}

/** Writes an entry in the transaction of what it records, so that neither is stored without the other. */
export async function recordAudit(
  trx: Transaction<Tables>,
  { by, action, target, detail = {} }: AuditEvent,
): Promise<void> {
  const entry = { actor: by.name, address: by.address, action, target, detail: JSON.stringify(detail) };
  const id = newAuditId();
  await trx
    .insertInto('audit_log')
    .values({ id, at: storeTimeIn(trx), ...entry })
    .execute();
}

let entries = 0;

/** Keeps the order of entries within a millisecond. */
const newAuditId = (): string =>
  `aud_${(entries++).toString(16).padStart(8, '0')}${randomBytes(6).toString('hex')}`;

export interface AuditFilter extends PageRequest {
  action?: AuditAction;
  text?: string;
}

export function listAudit(db: Database, { action, text, after, limit }: AuditFilter): Promise<AuditRow[]> {
  let query = db.selectFrom('audit_log').selectAll();
  if (action) query = query.where('action', '=', action);
  if (text) query = query.where(containing(['actor', 'target'], text));
  if (after) query = query.where(behind('at', 'id', after));
  return query.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/** Returns when each action was last done to the target. */
export async function lastTimes(
  db: Database,
  target: string,
  actions: readonly AuditAction[],
): Promise<Map<AuditAction, number>> {
  const rows = await db
    .selectFrom('audit_log')
    .select(['action', (e) => e.fn.max('at').as('at')])
    .where('target', '=', target)
    .where('action', 'in', actions)
    .groupBy('action')
    .execute();
  return new Map(rows.map(({ action, at }) => [action, Number(at)]));
}
