import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/audit-store.ts';
import { badRequest } from '../http/api-error.ts';
import type { Database } from '../store/database.ts';
import { deleteOperator, lockOperators } from '../users/user-store.ts';

/** Removes an operator, but not the last one: somebody must be able to invite others. */
export async function removeOperator(db: Database, id: string, by: Actor): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const operators = await lockOperators(trx);
    const operator = operators.find((candidate) => candidate.id === id);
    if (!operator) throw badRequest('There is no such operator.');
    if (operator.email === by.name) throw badRequest('You cannot remove yourself.');
    if (operators.length === 1)
      throw badRequest('The last operator cannot be removed. Invite another one first.');
    await deleteOperator(trx, id);
    await recordAudit(trx, { by, action: 'operator.remove', target: operator.email });
  });
}
