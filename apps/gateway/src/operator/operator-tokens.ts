import { type Actor, cli } from '../audit/actor.ts';
import { recordAudit } from '../audit/audit-store.ts';
import { badRequest } from '../http/api-error.ts';
import { hashSecret } from '../secrets/hash-secret.ts';
import { newOperatorToken, newOperatorTokenId } from '../secrets/new-ids.ts';
import { atomically } from '../store/atomically.ts';
import type { Database } from '../store/database.ts';
import { deleteOperatorToken, insertOperatorToken } from './operator-token-store.ts';

/** Creates a token for one of the operator's machines. It is shown once. */
export async function createOperatorToken(
  db: Database,
  name: string,
  by: Actor = cli,
): Promise<{ id: string; token: string }> {
  const [id, token] = [newOperatorTokenId(), newOperatorToken()];
  await atomically(db, async (trx) => {
    await insertOperatorToken(trx, { id, name, token_hash: hashSecret(token) });
    await recordAudit(trx, { by, action: 'operator-token.create', target: id, detail: { name } });
  });
  return { id, token };
}

export async function revokeOperatorToken(db: Database, id: string, by: Actor = cli): Promise<void> {
  await atomically(db, async (trx) => {
    const revoked = await deleteOperatorToken(trx, id);
    if (!revoked) throw badRequest(`There is no operator token ${id}.`);
    await recordAudit(trx, {
      by,
      action: 'operator-token.revoke',
      target: id,
      detail: { name: revoked.name },
    });
  });
}
