import type { Gateway } from '../gateway.ts';
import { pruneEvents } from './event-store.ts';
import { presentEvent } from './present-event.ts';
import { sendWebhook } from './send-webhook.ts';
import { nextAttempt, signature } from './webhook.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  disableWebhook,
  type Outcome,
  settleDelivery,
} from './webhook-store.ts';

const pollMs = 500;
/** How long a receiver may take to answer. */
const answerMs = 10_000;
/** Longer than a delivery in hand can take: what is claimed past this belongs to a gateway that is no more. */
const claimMs = answerMs + 5000;
const maxInHand = 50;
/** One receiver that hangs holds up no other's. */
const maxInHandPerWebhook = 5;
const keptMs = 30 * 86_400_000;
const pruneEveryMs = 3_600_000;

/** Sends what is in the outbox, beside the other gateways that do. */
export class WebhookDeliveries implements AsyncDisposable {
  readonly #gateway: Gateway;
  readonly #timer: NodeJS.Timeout;
  readonly #inHand = new Map<Promise<void>, string>();
  #turn: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();
  #prunedAt = 0;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
    this.#timer = setInterval(() => this.#poll(), pollMs);
  }

  /** What is in hand is given up: it will be sent again, here or elsewhere. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    clearInterval(this.#timer);
    await this.#turn;
    await Promise.all(this.#inHand.keys());
  }

  #poll(): void {
    this.#turn = this.#turn
      .then(() => this.#takeTurn())
      .catch((error) =>
        this.#gateway.logger.warn({ err: error }, 'webhooks could not be sent; trying again'),
      );
  }

  async #takeTurn(): Promise<void> {
    const { db, now } = this.#gateway;
    if (this.#stop.signal.aborted) return;
    if (now() - this.#prunedAt > pruneEveryMs) {
      await pruneEvents(db, now() - keptMs);
      this.#prunedAt = now();
    }
    const limit = Math.min(maxInHand - this.#inHand.size, maxInHandPerWebhook);
    if (limit <= 0) return;
    const at = now();
    const claimed = await claimDeliveries(db, {
      now: at,
      until: at + claimMs,
      limit,
      except: this.#busyWebhooks(),
    });
    for (const delivery of claimed) this.#take(delivery);
    if (claimed.length > 0 && !this.#stop.signal.aborted) this.#poll();
  }

  #busyWebhooks(): string[] {
    const counts = Map.groupBy(this.#inHand.values(), (id) => id);
    return [...counts].filter(([, { length }]) => length >= maxInHandPerWebhook).map(([id]) => id);
  }

  #take(delivery: ClaimedDelivery): void {
    const work = this.#deliver(delivery)
      .catch((error) =>
        this.#gateway.logger.warn({ err: error, webhook: delivery.webhook_id }, 'a delivery was not settled'),
      )
      .finally(() => {
        this.#inHand.delete(work);
        // The next one of its session waits for it.
        if (!this.#stop.signal.aborted) this.#poll();
      });
    this.#inHand.set(work, delivery.webhook_id);
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const { db, logger } = this.#gateway;
    const { status, error } = await this.#attempt(delivery);
    if (status === 410) await disableWebhook(db, delivery.webhook_id);
    const outcome = this.#outcome(delivery, error);
    await settleDelivery(db, delivery, outcome);
    logger.debug({ webhook: delivery.webhook_id, event: delivery.event.id, ...outcome }, 'webhook sent');
  }

  async #attempt({ event, webhook }: ClaimedDelivery): Promise<{ status?: number; error?: string }> {
    const { proxyGuard, sealer, now } = this.#gateway;
    const { type, timestamp, data } = presentEvent(event);
    const body = JSON.stringify({ type, timestamp, data });
    const seconds = Math.floor(now() / 1000);
    try {
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Turnpike-Webhooks',
        'webhook-id': event.id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': signature(sealer.open(webhook.secret_sealed), event.id, seconds, body),
      };
      const status = await sendWebhook(
        proxyGuard,
        { url: webhook.url, headers, body },
        { timeoutMs: answerMs, stop: this.#stop.signal },
      );
      return status >= 200 && status < 300 ? { status } : { status, error: `it answered ${status}` };
    } catch (error) {
      return { error: (error as Error).message };
    }
  }

  #outcome({ attempts }: ClaimedDelivery, error: string | undefined): Outcome {
    if (error === undefined) return { state: 'delivered' };
    const nextAt = nextAttempt(attempts, this.#gateway.now());
    return nextAt === undefined ? { state: 'failed', error } : { state: 'pending', nextAt, error };
  }
}
