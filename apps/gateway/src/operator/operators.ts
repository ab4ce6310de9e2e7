import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/audit-store.ts';
import { deleteOperator, lockOperators } from '../dashboard/user-store.ts';
import type { Database } from '../store/database.ts';
import { OperatorError } from './operator-error.ts';

/** Somebody must be left who can invite others. */
export async function removeOperator(db: Database, id: string, by: Actor): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const operators = await lockOperators(trx);
    const operator = operators.find((candidate) => candidate.id === id);
    if (!operator) throw new OperatorError('there is no such operator');
    if (operator.email === by.name) throw new OperatorError('you cannot remove yourself');
    if (operators.length === 1) throw new OperatorError('the last operator cannot be removed');
    await deleteOperator(trx, id);
    await recordAudit(trx, { by, action: 'operator.remove', target: operator.email });
  });
}
