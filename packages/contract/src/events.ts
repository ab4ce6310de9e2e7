import { type Static, Type } from 'typebox';

/** Those about a crawl. */
export const crawlEventTypes = ['crawl.started', 'crawl.progress', 'crawl.finished'] as const;
export type CrawlEventType = (typeof crawlEventTypes)[number];

/** Those about a saved proxy. */
export const proxyEventTypes = ['proxy.failing', 'proxy.recovered', 'proxy.exit_changed'] as const;
export type ProxyEventType = (typeof proxyEventTypes)[number];

/** Those about a proxy in a session that runs. */
export const sessionProxyEventTypes = ['session.proxy_failed', 'session.exit_changed'] as const;
export type SessionProxyEventType = (typeof sessionProxyEventTypes)[number];

/** Types of events that an account gets, by webhook and on its stream. */
export const eventTypes = [
  'session.started',
  'session.standby',
  'session.woke',
  'session.closed',
  'session.expired',
  'session.dead',
  'recording.ready',
  'usage.80',
  'usage.cap_reached',
  ...crawlEventTypes,
  ...sessionProxyEventTypes,
  ...proxyEventTypes,
] as const;
export type EventType = (typeof eventTypes)[number];

const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC, with milliseconds' });

export const Event = Type.Object({
  id: Type.String({ description: '`evt_…`; the same however often it is sent (`webhook-id`)' }),
  seq: Type.Integer({
    description: "Counts the account's events; what `Last-Event-ID` takes on the stream",
  }),
  type: Type.Enum(eventTypes),
  timestamp: Timestamp,
  data: Type.Object(
    {},
    {
      additionalProperties: true,
      description:
        'For a session: its record. For a recording: its summary. For a crawl: the crawl. For usage: `browserSeconds`, `browserSecondsCap` and ' +
        '`remainingSeconds`. For a proxy: `proxy`, and what has changed; `browserId` if one session has seen it',
    },
  ),
});
export type Event = Static<typeof Event>;

export const Webhook = Type.Object({
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.Enum(eventTypes), { description: 'Which events it gets; empty: all' }),
  status: Type.Enum(['enabled', 'disabled'], {
    description: 'Disabled after an answer of 410: the receiver wants no more',
  }),
  createdAt: Timestamp,
});
export type Webhook = Static<typeof Webhook>;

export const NewWebhook = Type.Object({
  ...Webhook.properties,
  secret: Type.String({ description: '`whsec_…`, the key of its signatures. Shown this once.' }),
});
export type NewWebhook = Static<typeof NewWebhook>;

export const WebhookList = Type.Object({ webhooks: Type.Array(Webhook) });

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export const Delivery = Type.Object({
  eventId: Type.String(),
  seq: Type.Integer(),
  type: Type.Enum(eventTypes),
  browserId: Type.Union([Type.String(), Type.Null()]),
  status: Type.Enum(deliveryStates),
  attempts: Type.Integer(),
  nextAttemptAt: Type.Union([Timestamp, Type.Null()]),
  lastError: Type.Union([Type.String(), Type.Null()]),
  createdAt: Timestamp,
});
export type Delivery = Static<typeof Delivery>;

export const DeliveryList = Type.Object({ deliveries: Type.Array(Delivery) });
export const Replayed = Type.Object({
  replayed: Type.Integer(),
  nextSince: Type.Optional(
    Type.String({ format: 'date-time', description: 'Not all: `since` of the next replay' }),
  ),
});
export type Replayed = Static<typeof Replayed>;
