import { eventTypes } from '@turnpike/contract/events';
import { Type } from 'typebox';
import { type ApiDescription, json } from '../http/openapi/api-description.ts';

/** OpenAPI descriptions of the event routes. */

const common = { tag: 'Events', security: ['apiKey'] } as const;
const ofWebhook = Type.Object({ id: Type.String({ description: 'The id of a webhook' }) });

export const streamApi: ApiDescription = {
  ...common,
  id: 'streamEvents',
  summary: 'Stream events',
  description:
    'Server-sent events: `id` is the number of the event in the account, `event` its type, `data` an `Event` as JSON. ' +
    'An account may have ten open streams per gateway. A stream ends when the key is rotated.',
  headers: Type.Object({
    'last-event-id': Type.Optional(
      Type.String({
        pattern: '^\\d{1,15}$',
        description: 'Starts after this event, up to 30 days back. Default: now',
      }),
    ),
  }),
  answers: {
    200: {
      description: 'An endless stream.',
      content: { 'text/event-stream': { schema: Type.String() } },
    },
  },
  errors: ['badRequest', 'tooManyStreams'],
};

export const webhooksApi: ApiDescription = {
  ...common,
  id: 'listWebhooks',
  summary: 'List webhooks',
  answers: { 200: { description: 'All webhooks, without their secrets.' } },
  errors: [],
};

export const newWebhookApi: ApiDescription = {
  ...common,
  id: 'createWebhook',
  summary: 'Create a webhook',
  description:
    'Sends events to a URL, signed by the Standard Webhooks scheme. An account has at most ten webhooks.',
  body: json(
    Type.Object({
      url: Type.String({ description: 'An http or https URL with a public address' }),
      events: Type.Optional(Type.Array(Type.Enum(eventTypes), { description: 'Event types. Default: all' })),
    }),
    { url: 'https://example.com/hook', events: ['session.dead'] },
  ),
  answers: { 200: { description: 'The webhook and its secret. The secret is shown only once.' } },
  errors: ['badRequest'],
};

export const deleteWebhookApi: ApiDescription = {
  ...common,
  id: 'deleteWebhook',
  summary: 'Delete a webhook',
  description: 'Pending deliveries are deleted too.',
  params: ofWebhook,
  answers: { 200: { description: 'The webhook is deleted.' } },
  errors: ['badRequest', 'notFound'],
};

export const deliveriesApi: ApiDescription = {
  ...common,
  id: 'listDeliveries',
  summary: 'List deliveries',
  params: ofWebhook,
  answers: { 200: { description: 'The latest 100: state, attempts, last error.' } },
  errors: ['notFound'],
};

export const replayApi: ApiDescription = {
  ...common,
  id: 'replayDeliveries',
  summary: 'Replay events',
  description:
    'Sends one event again, by `eventId`, or all since a time, oldest first. A webhook has at most 10,000 pending events ' +
    'to be sent; where there are more, the answer says from where to go on.',
  params: ofWebhook,
  body: json(
    Type.Object({
      eventId: Type.Optional(Type.String()),
      since: Type.Optional(Type.String({ format: 'date-time' })),
    }),
    { since: '2026-11-15T00:00:00Z' },
  ),
  answers: {
    200: { description: 'How many events will be sent again, and `nextSince` if that is not all.' },
  },
  errors: ['badRequest', 'notFound'],
};
