import type { Delivery, Event, Webhook } from '@turnpike/contract/events';
import { iso } from '../http/iso.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { EventRow, WebhookRow } from '../store/tables/event-tables.ts';
import type { listDeliveries } from './webhook-store.ts';

export function presentEvent({ id, seq, type, at, data }: EventRow): Event {
  return { id, seq, type, timestamp: iso(at), data: readStoredJson(data) };
}

export function presentWebhook(webhook: WebhookRow): Webhook {
  const { id, url, event_types, status, created_at } = webhook;
  return { id, url, events: readStoredJson(event_types), status, createdAt: iso(created_at) };
}

export function presentDelivery(row: Awaited<ReturnType<typeof listDeliveries>>[number]): Delivery {
  return {
    eventId: row.event_id,
    seq: row.seq,
    type: row.event_type,
    browserId: row.session_id || null,
    status: row.state,
    attempts: row.attempts,
    nextAttemptAt: row.state === 'pending' ? iso(row.next_at) : null,
    lastError: row.last_error,
    createdAt: iso(row.event_at),
  };
}
