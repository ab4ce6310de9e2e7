import { signReceipt } from '@turnpike/process/receipt-signature';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../http/api-error.ts';
import type { Sealer } from '../secrets/sealer.ts';
import { currentSigner, publishedKeys } from '../secrets/signing-keys.ts';
import { ownSession } from './caller-session.ts';
import { readTraffic } from './read-traffic.ts';
import { receiptStatement } from './receipt.ts';
import { receiptApi, receiptKeysApi } from './receipt-api.ts';
import type { SessionContext } from './session-context.ts';

type ReceiptContext = Pick<SessionContext, 'db' | 'now' | 'findHost' | 'logger'> & { sealer: Sealer };

export function receiptRoutes(app: FastifyInstance, context: ReceiptContext): void {
  app.get<{ Params: { id: string } }>(
    '/api/browser/:id/receipt',
    { config: { api: receiptApi } },
    async (request) => {
      const session = await ownSession(context, request, request.params.id);
      if (session.state === 'ACTIVE') throw new ApiError('sessionRunning');
      const statement = receiptStatement(session, await readTraffic(context, session), context.now());
      return signReceipt(statement, await currentSigner(context));
    },
  );

  /** Open to everyone: whoever is shown a receipt must be able to verify it. */
  app.get(
    '/.well-known/turnpike-receipt-keys',
    { config: { open: true, api: receiptKeysApi } },
    async () => ({
      keys: await publishedKeys(context),
    }),
  );
}
