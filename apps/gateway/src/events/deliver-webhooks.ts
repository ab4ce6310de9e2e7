import { Poll } from '@turnpike/process/poll';
import type { Message } from '../http/checked-request.ts';
import { associatedData } from '../secrets/associated-data.ts';
import { DeliverySlots, type Slot } from './delivery-slots.ts';
import type { EventContext } from './event-context.ts';
import { pruneEvents } from './event-store.ts';
import { presentEvent } from './present-event.ts';
import { sendWebhook } from './send-webhook.ts';
import { nextAttempt, signedHeaders } from './webhook.ts';
import {
  type ClaimedDelivery,
  claimDelivery,
  disableWebhook,
  dueDeliveries,
  type Outcome,
  settleDelivery,
} from './webhook-store.ts';

const pollMs = 500;
/** How long a receiver may take to answer. */
const answerMs = 10_000;
/** Longer than a delivery can take: a claim that is older belongs to a gateway that died. */
const claimMs = answerMs + 5000;
/** Deliveries that are read at a time, of which each account gets as many as it may. */
const dueAtATime = 20;
const keptMs = 30 * 86_400_000;
const pruneEveryMs = 3_600_000;

/** Delivers events to webhooks, together with the other gateways. */
export class WebhookDeliveries implements AsyncDisposable {
  readonly #context: EventContext;
  readonly #poll: Poll;
  readonly #inProgress = new Set<Promise<void>>();
  readonly #slots = new DeliverySlots();
  readonly #stop = new AbortController();
  #prunedAt = 0;

  constructor(context: EventContext) {
    this.#context = context;
    this.#poll = new Poll(
      pollMs,
      () => this.#pollOnce(),
      (error) => context.logger.warn({ err: error }, 'could not send webhooks; will retry'),
    );
  }

  /** Gives up deliveries in progress: they will be sent again, here or elsewhere. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#poll[Symbol.asyncDispose]();
    await Promise.all(this.#inProgress);
  }

  async #pollOnce(): Promise<void> {
    const { db, now } = this.#context;
    if (this.#stop.signal.aborted) return;
    if (now() - this.#prunedAt > pruneEveryMs) {
      await pruneEvents(db, now() - keptMs);
      this.#prunedAt = now();
    }
    // Accounts without a delivery in progress come first, however long the queues of others are.
    const claimed = (await this.#claim(this.#slots.served())) || (await this.#claim([]));
    if (claimed && !this.#stop.signal.aborted) this.#poll.now();
  }

  /** Claims and starts due deliveries of other accounts than these. Returns whether there were any. */
  async #claim(exceptAccounts: readonly string[]): Promise<boolean> {
    const { db, now } = this.#context;
    if (this.#slots.free <= 0) return false;
    const at = now();
    const full = this.#slots.full();
    const due = await dueDeliveries(db, {
      now: at,
      limit: dueAtATime,
      exceptAccounts: [...exceptAccounts, ...full.accounts],
      exceptWebhooks: full.webhooks,
    });
    let claimed = false;
    for (const each of due) {
      if (!this.#slots.take(each)) continue;
      const delivery = await claimDelivery(db, each, { now: at, until: at + claimMs }).catch((error) => {
        this.#failed(each, error);
        return undefined;
      });
      if (delivery) this.#take(delivery);
      else this.#slots.release(each);
      claimed ||= delivery !== undefined;
    }
    return claimed;
  }

  #take(delivery: ClaimedDelivery): void {
    const work = this.#deliver(delivery)
      .catch((error) => this.#failed(delivery, error))
      .finally(() => {
        this.#inProgress.delete(work);
        this.#slots.release(delivery);
        // The next delivery of its session waits for it.
        if (!this.#stop.signal.aborted) this.#poll.now();
      });
    this.#inProgress.add(work);
  }

  /** Logs a failure that concerns one delivery only: it is tried again when its claim expires. */
  #failed({ webhook_id, account_id }: Slot, error: unknown): void {
    const { logger, metrics } = this.#context;
    metrics.itemFailed('webhook_delivery');
    logger.warn(
      { err: error, webhook: webhook_id, accountId: account_id },
      'could not finish a delivery; will retry',
    );
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const { db, logger } = this.#context;
    const message = this.#message(delivery);
    const { status, error } = 'error' in message ? message : await this.#attempt(message);
    // A delivery that was cut off by the end of this process says nothing about its receiver.
    if (!this.#stop.signal.aborted) this.#slots.note(delivery.webhook_id, error === undefined);
    if (status === 410) await disableWebhook(db, delivery.webhook_id);
    const outcome = this.#outcome(delivery, error);
    await settleDelivery(db, delivery, outcome);
    logger.debug({ webhook: delivery.webhook_id, event: delivery.event.id, ...outcome }, 'webhook sent');
  }

  /** Builds the signed request; or says why that is impossible, which counts as a failed attempt. */
  #message({ event, webhook, webhook_id }: ClaimedDelivery): Message | { status?: number; error: string } {
    const { sealer, now, logger, metrics } = this.#context;
    try {
      const { type, timestamp, data } = presentEvent(event);
      const body = JSON.stringify({ type, timestamp, data });
      const seconds = Math.floor(now() / 1000);
      const secret = sealer.open(webhook.secret_sealed, associatedData.webhookSecret(webhook_id));
      return { url: webhook.url, headers: signedHeaders(secret, event.id, seconds, body), body };
    } catch (error) {
      metrics.itemFailed('webhook_delivery');
      logger.warn({ err: error, event: event.id }, 'could not prepare an event for sending');
      return { error: 'the event could not be prepared for sending' };
    }
  }

  async #attempt(message: Message): Promise<{ status?: number; error?: string }> {
    const { webhookGuard } = this.#context;
    try {
      const options = { timeoutMs: answerMs, stop: this.#stop.signal };
      const status = await sendWebhook(webhookGuard, message, options);
      return status >= 200 && status < 300 ? { status } : { status, error: `it answered ${status}` };
    } catch (error) {
      return { error: (error as Error).message };
    }
  }

  #outcome({ attempts }: ClaimedDelivery, error: string | undefined): Outcome {
    if (error === undefined) return { state: 'delivered' };
    const nextAt = nextAttempt(attempts, this.#context.now());
    return nextAt === undefined ? { state: 'failed', error } : { state: 'pending', nextAt, error };
  }
}
