import { hashSecret, newOperatorToken, newOperatorTokenId } from '../accounts/secrets.ts';
import type { Database } from '../store/database.ts';
import { OperatorError } from './accounts.ts';
import { deleteOperatorToken, insertOperatorToken } from './operator-token-store.ts';

/** A token for one of the operator's machines; shown once. */
export async function createOperatorToken(
  db: Database,
  name: string,
): Promise<{ id: string; token: string }> {
  const [id, token] = [newOperatorTokenId(), newOperatorToken()];
  await insertOperatorToken(db, { id, name, token_hash: hashSecret(token), created_at: Date.now() });
  return { id, token };
}

export async function revokeOperatorToken(db: Database, id: string): Promise<void> {
  if (!(await deleteOperatorToken(db, id))) throw new OperatorError(`there is no operator token ${id}`);
}
