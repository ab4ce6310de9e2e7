import type { Routes } from '../http/routes.ts';
import { publishedKeys } from '../secrets/signing-keys.ts';
import { ownSession } from '../sessions/caller-session.ts';
import { issueReceipt, type ReceiptContext } from './issue-receipt.ts';
import { receiptApi, receiptKeysApi } from './receipt-api.ts';

export function receiptRoutes(app: Routes, context: ReceiptContext): void {
  app.get<{ Params: { id: string } }>(
    '/api/browser/:id/receipt',
    { config: { auth: 'key-or-cookie', api: receiptApi } },
    async (request) => issueReceipt(context, await ownSession(context, request, request.params.id)),
  );

  /** Open to everyone: whoever is shown a receipt must be able to verify it. */
  app.get(
    '/.well-known/turnpike-receipt-keys',
    { config: { auth: 'none', api: receiptKeysApi } },
    async () => ({
      keys: await publishedKeys(context),
    }),
  );
}
