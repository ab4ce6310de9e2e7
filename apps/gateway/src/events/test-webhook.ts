import type { WebhookTest } from '@turnpike/contract/dashboard/account-pages';
import { ApiError } from '../http/api-error.ts';
import { iso } from '../http/iso.ts';
import { associatedData } from '../secrets/associated-data.ts';
import { newEventId } from '../secrets/new-ids.ts';
import { ownWebhook } from './caller-webhooks.ts';
import type { EventContext } from './event-context.ts';
import { sendWebhook } from './send-webhook.ts';
import { signedHeaders } from './webhook.ts';

/** How long a receiver may take to answer. */
const answerMs = 10_000;

/** Webhooks that are being tested: one test at a time each, so that nobody makes this gateway flood a receiver. */
const testing = new Set<string>();

/**
 * Sends a signed event of the type `webhook.test` at once and tells what the receiver answered. It is no event of the
 * account: it is neither stored nor sent again.
 */
export async function testWebhook(
  context: EventContext,
  accountId: string,
  id: string,
  signal: AbortSignal,
): Promise<WebhookTest> {
  const webhook = await ownWebhook(context, accountId, id);
  if (testing.has(webhook.id)) {
    throw new ApiError('conflict', { message: 'A test of this webhook is running. Wait for its result.' });
  }
  const body = JSON.stringify({ type: 'webhook.test', timestamp: iso(context.now()), data: {} });
  const secret = context.sealer.open(webhook.secret_sealed, associatedData.webhookSecret(webhook.id));
  const headers = signedHeaders(secret, newEventId(), Math.floor(context.now() / 1000), body);
  testing.add(webhook.id);
  try {
    const message = { url: webhook.url, headers, body };
    const status = await sendWebhook(context.webhookGuard, message, { timeoutMs: answerMs, stop: signal });
    return { ok: status >= 200 && status < 300, status, error: null };
  } catch (error) {
    return { ok: false, status: null, error: (error as Error).message };
  } finally {
    testing.delete(webhook.id);
  }
}
