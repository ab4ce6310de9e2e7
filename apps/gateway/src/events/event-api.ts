import { eventTypes } from '@turnpike/contract/events';
import { Type } from 'typebox';
import type { ApiDescription } from '../http/api-description.ts';

/** OpenAPI descriptions of the event routes. */

const common = { tag: 'Events', security: ['apiKey'] } as const;
const ofWebhook = Type.Object({ id: Type.String({ description: 'The id of a webhook' }) });

export const streamApi: ApiDescription = {
  ...common,
  id: 'streamEvents',
  summary: 'Follow events as they happen',
  description:
    'Server-sent events: `id` counts the events of the account, `event` is the type, `data` an `Event` as JSON. ' +
    'An account may have ten streams open on a gateway; one ends when the key is rotated.',
  headers: Type.Object({
    'last-event-id': Type.Optional(
      Type.String({
        pattern: '^\\d{1,15}$',
        description: 'Begins after this event, up to 30 days back. Default: now',
      }),
    ),
  }),
  answers: {
    200: {
      description: 'A stream without an end.',
      content: { 'text/event-stream': { schema: Type.String() } },
    },
  },
  errors: ['badRequest', 'tooManyStreams'],
};

export const webhooksApi: ApiDescription = {
  ...common,
  id: 'listWebhooks',
  summary: 'List webhooks',
  answers: { 200: { description: 'All of them, without their secrets.' } },
  errors: [],
};

export const newWebhookApi: ApiDescription = {
  ...common,
  id: 'createWebhook',
  summary: 'Have events sent to a URL',
  description: 'Deliveries are signed by the Standard Webhooks scheme. An account has at most ten webhooks.',
  body: {
    required: true,
    content: {
      'application/json': {
        schema: Type.Object({
          url: Type.String({ description: 'http or https; it must lead to a public address' }),
          events: Type.Optional(Type.Array(Type.Enum(eventTypes), { description: 'Without it: all' })),
        }),
        example: { url: 'https://example.com/hook', events: ['session.dead'] },
      },
    },
  },
  answers: { 200: { description: 'The webhook, and its secret, shown this once.' } },
  errors: ['badRequest'],
};

export const deleteWebhookApi: ApiDescription = {
  ...common,
  id: 'deleteWebhook',
  summary: 'End a webhook',
  description: 'What it was still to be sent goes with it.',
  params: ofWebhook,
  answers: { 200: { description: 'It is gone.' } },
  errors: ['badRequest', 'notFound'],
};

export const deliveriesApi: ApiDescription = {
  ...common,
  id: 'listDeliveries',
  summary: 'See what became of deliveries',
  params: ofWebhook,
  answers: { 200: { description: 'The latest hundred: state, attempts, the last error.' } },
  errors: ['notFound'],
};

export const replayApi: ApiDescription = {
  ...common,
  id: 'replayDeliveries',
  summary: 'Send events again',
  description:
    'Either the one named by `eventId`, or all since a time, oldest first. A webhook has at most 10,000 events waiting ' +
    'to be sent; where there are more, the answer says from where to go on.',
  params: ofWebhook,
  body: {
    required: true,
    content: {
      'application/json': {
        schema: Type.Object({
          eventId: Type.Optional(Type.String()),
          since: Type.Optional(Type.String({ format: 'date-time' })),
        }),
        example: { since: '2026-11-15T00:00:00Z' },
      },
    },
  },
  answers: {
    200: { description: 'How many are on their way again, and `nextSince` where that is not all.' },
  },
  errors: ['badRequest', 'notFound'],
};
