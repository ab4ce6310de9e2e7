import { createHmac, randomBytes } from 'node:crypto';
import { type EventType, eventTypes } from '@turnpike/contract/events';

/** Rules of webhooks, after the Standard Webhooks specification (standardwebhooks.com). */

const secretPrefix = 'whsec_';

export const newWebhookSecret = (): string => `${secretPrefix}${randomBytes(32).toString('base64')}`;

export function signature(secret: string, id: string, timestampSeconds: number, body: string): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  const mac = createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest('base64');
  return `v1,${mac}`;
}

/** Headers of a request to a receiver, as the Standard Webhooks specification has them. */
export const signedHeaders = (
  secret: string,
  id: string,
  timestampSeconds: number,
  body: string,
): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': 'Turnpike-Webhooks',
  'webhook-id': id,
  'webhook-timestamp': String(timestampSeconds),
  'webhook-signature': signature(secret, id, timestampSeconds, body),
});

/** Seconds before each retry: more than a day in all, with a quick first retry. */
const retrySeconds = [1, 5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200];

/** Returns when to retry after so many attempts; undefined means no more. */
export function nextAttempt(attempts: number, now: number): number | undefined {
  const seconds = retrySeconds[attempts - 1];
  return seconds === undefined ? undefined : now + seconds * 1000;
}

const maxUrlLength = 2048;

export type ParsedWebhook =
  | { ok: true; url: URL; events: EventType[] }
  | { ok: false; field: 'url' | 'events'; rule: string };

export function parseWebhook(body: Record<string, unknown>): ParsedWebhook {
  const { url, events = [] } = body;
  if (typeof url !== 'string' || url === '') return { ok: false, field: 'url', rule: 'url is required' };
  if (url.length > maxUrlLength)
    return { ok: false, field: 'url', rule: `url must be at most ${maxUrlLength} characters` };
  const parsed = URL.parse(url);
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) {
    return { ok: false, field: 'url', rule: 'url must be an http or https URL' };
  }
  if (parsed.username || parsed.password) {
    return {
      ok: false,
      field: 'url',
      rule: 'url must have no user name or password; check the signature instead',
    };
  }
  const known = (name: unknown): name is EventType => eventTypes.includes(name as EventType);
  if (!Array.isArray(events) || !events.every(known)) {
    return { ok: false, field: 'events', rule: `events must be a list of ${eventTypes.join(', ')}` };
  }
  return { ok: true, url: parsed, events: [...new Set(events)] };
}
