import { BulkStatusBody } from '@turnpike/contract/create';
import { sessionStatuses } from '@turnpike/contract/session';
import { Type } from 'typebox';
import { type ApiDescription, json } from '../http/openapi/api-description.ts';

/** OpenAPI descriptions of the session routes. */

export const sessionId = 'br_0123456789abcdef01234567';
export const cdpUrl = 'wss://browsers.example/cdp/br_0123456789abcdef0123456789abcdef01234567';
const listItem = {
  browserId: sessionId,
  cdpUrl,
  status: 'ACTIVE',
  createdAt: '2026-11-15T12:00:00.000Z',
  expiresAt: '2026-11-15T14:00:00.000Z',
};
export const session = {
  ...listItem,
  browserParams: { os: 'windows', proxy: 'http://user:***@proxy.example:8000', headless: false },
  metadata: { job: 'j-1', turnpike: { host: 'host-1', chromiumVersion: '156.0.7300.2' } },
};

export const statusApi: ApiDescription = {
  id: 'getBrowser',
  tag: 'Sessions',
  summary: 'Read one session',
  description: 'Readable for its lifetime and an hour after its creation; then 404.',
  security: ['apiKey'],
  params: Type.Object({ id: Type.String({ description: 'The session id or the CDP id' }) }),
  answers: { 200: { description: 'The session.', example: session } },
  errors: ['sessionNotFound'],
};

export const wakeApi: ApiDescription = {
  id: 'wakeBrowser',
  tag: 'Sessions',
  summary: 'Wake a session that is asleep',
  description:
    'For sessions with `standby`. Whatever uses a session wakes it too. Changes nothing in one that is awake.',
  security: ['apiKey'],
  params: Type.Object({ id: Type.String({ description: 'The session id or the CDP id' }) }),
  answers: { 200: { description: 'The session, awake.', example: session } },
  errors: ['sessionNotFound', 'sessionEnded', 'wakeWaits', 'hostSilent'],
};

export const bulkStatusApi: ApiDescription = {
  id: 'getBrowsers',
  tag: 'Sessions',
  summary: 'Read up to 100 sessions at once',
  description:
    'By session ids, CDP ids or both. An id that is no readable session of the account has the status `NOT_FOUND`.',
  security: ['apiKey'],
  body: json(BulkStatusBody, { browserIds: [sessionId, 'br_unknown'] }),
  answers: {
    200: {
      description: 'What each id stands for.',
      example: { browsers: [session, { browserId: 'br_unknown', status: 'NOT_FOUND' }] },
    },
  },
  errors: ['badRequest'],
};

export const listApi: ApiDescription = {
  id: 'listBrowsers',
  tag: 'Sessions',
  summary: 'List what runs now',
  security: ['apiKey'],
  answers: { 200: { description: 'Running sessions, newest first.', example: [listItem] } },
  errors: [],
};

export const historyApi: ApiDescription = {
  id: 'listSessions',
  tag: 'Account',
  summary: 'List all sessions, for good',
  description: 'The permanent record, newest first, running sessions included.',
  security: ['apiKey'],
  query: Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
    cursor: Type.Optional(Type.String({ description: '`nextCursor` of the page before' })),
    status: Type.Optional(Type.Enum(sessionStatuses)),
    name: Type.Optional(Type.String({ maxLength: 200, description: 'Only sessions with this name' })),
    tag: Type.Optional(Type.String({ maxLength: 200, description: 'Only sessions with this tag' })),
  }),
  answers: { 200: { description: 'A page.' } },
  errors: ['badRequest'],
};
