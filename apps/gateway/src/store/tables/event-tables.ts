import type { DeliveryState, EventType } from '@turnpike/contract/events';
import type { Generated, Selectable } from 'kysely';

/** The outbox. Events are written in the transaction of what they are about, so neither is stored without the other. */
export interface EventTable {
  account_id: string;
  seq: number;
  id: string;
  type: EventType;
  /** Null for events about the account as a whole. */
  session_id: string | null;
  at: number;
  data: string;
}
export type EventRow = Selectable<EventTable>;

export interface WebhookTable {
  id: string;
  account_id: string;
  url: string;
  /** A JSON list. Empty: all event types. */
  event_types: string;
  secret_sealed: string;
  status: 'enabled' | 'disabled';
  created_at: number;
}
export type WebhookRow = Selectable<WebhookTable>;

/** One event for one webhook. */
export interface WebhookDeliveryTable {
  webhook_id: string;
  account_id: string;
  seq: number;
  /** Deliveries of one webhook about one session are sent one after the other. '' for events about the account. */
  session_id: string;
  state: DeliveryState;
  attempts: Generated<number>;
  next_at: number;
  /** Until when a gateway is sending it. If that gateway dies, others may send it then. */
  claimed_until: Generated<number>;
  last_error: Generated<string | null>;
}
export type WebhookDeliveryRow = Selectable<WebhookDeliveryTable>;
