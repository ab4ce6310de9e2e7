import type { Receipt } from '@turnpike/contract/receipt';
import { signReceipt } from '@turnpike/process/receipt-signature';
import { ApiError } from '../http/api-error.ts';
import type { Sealer } from '../secrets/sealer.ts';
import { currentSigner } from '../secrets/signing-keys.ts';
import type { SessionContext } from '../sessions/session-context.ts';
import type { SessionRow } from '../store/tables.ts';
import { readTraffic } from './read-traffic.ts';
import { receiptStatement } from './receipt.ts';

export type ReceiptContext = Pick<SessionContext, 'db' | 'now' | 'findHost' | 'logger'> & { sealer: Sealer };

/** Signs the receipt of a session that has ended. */
export async function issueReceipt(context: ReceiptContext, session: SessionRow): Promise<Receipt> {
  if (session.state === 'ACTIVE') throw new ApiError('sessionRunning');
  const statement = receiptStatement(session, await readTraffic(context, session), context.now());
  return signReceipt(statement, await currentSigner(context));
}
