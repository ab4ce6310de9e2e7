import type { Delivery, EventType, NewWebhook, Webhook } from './answers.ts';
import type { CallOptions } from './options.ts';
import type { Transport } from './transport/transport.ts';

const path = '/user/api/webhooks';

/** The account's webhooks. */
export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async list(options: CallOptions = {}): Promise<Webhook[]> {
    return (await this.#transport.json<{ webhooks: Webhook[] }>({ path }, options)).webhooks;
  }

  /** Creates a webhook for all events, or for those that are named. Never retried: there could be two. */
  create(
    { url, events }: { url: string; events?: readonly EventType[] },
    options: CallOptions = {},
  ): Promise<NewWebhook> {
    const body = { url, ...(events ? { events } : {}) };
    return this.#transport.json({ path, method: 'POST', body }, { ...options, retries: 0 });
  }

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.#transport.json({ path: pathOf(id), method: 'DELETE' }, options);
  }

  /** Lists the latest hundred deliveries. */
  async deliveries(id: string, options: CallOptions = {}): Promise<Delivery[]> {
    const request = { path: `${pathOf(id)}/deliveries` };
    return (await this.#transport.json<{ deliveries: Delivery[] }>(request, options)).deliveries;
  }

  /** Sends one event again, or all since a time (ISO 8601). Returns how many. */
  async replay(
    id: string,
    which: { eventId: string } | { since: string },
    options: CallOptions = {},
  ): Promise<number> {
    const request = { path: `${pathOf(id)}/replay`, method: 'POST', body: which } as const;
    return (await this.#transport.json<{ replayed: number }>(request, options)).replayed;
  }
}

const pathOf = (id: string): string => `${path}/${encodeURIComponent(id)}`;
