/** The most deliveries in progress at once in a gateway. */
export const deliveryLimits = {
  all: 50,
  /** A fifth of all: an account whose receivers do not answer leaves the rest to others. */
  perAccount: 10,
  perWebhook: 5,
} as const;

export interface Slot {
  account_id: string;
  webhook_id: string;
}

/**
 * Limits deliveries in progress by account and webhook. A webhook whose last attempt failed has one at a time until one
 * succeeds: a receiver that does not answer occupies one slot, not five.
 */
export class DeliverySlots {
  readonly #accounts = new Map<string, number>();
  readonly #webhooks = new Map<string, number>();
  readonly #failing = new Set<string>();
  #taken = 0;

  get free(): number {
    return deliveryLimits.all - this.#taken;
  }

  /** Lists accounts with a delivery in progress: other accounts go first. */
  served(): string[] {
    return [...this.#accounts.keys()];
  }

  /** Lists accounts and webhooks that have reached their limit. */
  full(): { accounts: string[]; webhooks: string[] } {
    const accounts = [...this.#accounts].filter(([, count]) => count >= deliveryLimits.perAccount);
    const webhooks = [...this.#webhooks].filter(([id, count]) => count >= this.#limitOf(id));
    return { accounts: accounts.map(([id]) => id), webhooks: webhooks.map(([id]) => id) };
  }

  /** Takes a slot. False: there is none free. */
  take({ account_id, webhook_id }: Slot): boolean {
    const [ofAccount, ofWebhook] = [this.#accounts.get(account_id) ?? 0, this.#webhooks.get(webhook_id) ?? 0];
    if (this.free <= 0 || ofAccount >= deliveryLimits.perAccount || ofWebhook >= this.#limitOf(webhook_id))
      return false;
    this.#accounts.set(account_id, ofAccount + 1);
    this.#webhooks.set(webhook_id, ofWebhook + 1);
    this.#taken += 1;
    return true;
  }

  release({ account_id, webhook_id }: Slot): void {
    countDown(this.#accounts, account_id);
    countDown(this.#webhooks, webhook_id);
    this.#taken -= 1;
  }

  note(webhookId: string, succeeded: boolean): void {
    if (succeeded) this.#failing.delete(webhookId);
    else this.#failing.add(webhookId);
  }

  #limitOf(webhookId: string): number {
    return this.#failing.has(webhookId) ? 1 : deliveryLimits.perWebhook;
  }
}

function countDown(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 0) - 1;
  if (left > 0) counts.set(key, left);
  else counts.delete(key);
}
