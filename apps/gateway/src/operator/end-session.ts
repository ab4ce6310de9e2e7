import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/audit-store.ts';
import type { Gateway } from '../gateway.ts';
import { closeSession } from '../sessions/close-session.ts';
import { setEndReason } from '../sessions/session-lifecycle-store.ts';
import type { SessionRow } from '../store/tables.ts';

/**
 * Closes any account's session. The audit log and the reason are written first: the host may report the end at any
 * moment.
 */
export async function endSessionOf(gateway: Gateway, session: SessionRow, by: Actor): Promise<void> {
  const { db } = gateway;
  if (session.state !== 'ACTIVE') return;
  await db.transaction().execute(async (trx) => {
    await setEndReason(trx, session.id, 'operator');
    const detail = { account: session.account_id };
    await recordAudit(trx, { by, action: 'session.close', target: session.id, detail });
  });
  try {
    await closeSession(gateway, session);
  } catch (error) {
    await setEndReason(db, session.id, null);
    throw error;
  }
}
