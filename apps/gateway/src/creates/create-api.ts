import { CloseBody, ConnectQuery, CreateBody, IdempotencyHeaders } from '@turnpike/contract/create';
import type { ApiErrorName } from '@turnpike/contract/error-help';
import { playwrightMinors } from '@turnpike/contract/protocols';
import { Type } from 'typebox';
import { type ApiDescription, json } from '../http/openapi/api-description.ts';
import { cdpUrl, session, sessionId } from '../sessions/session-api.ts';

/** OpenAPI descriptions of the routes that open and close browsers. */

const count = (description: string) => Type.Integer({ minimum: 0, description });
const openedHeaders = Type.Object({
  'x-session-id': Type.String({ description: 'The session id: what a reconnect and a close take' }),
  'x-ratelimit-limit': count('The concurrent browser limit (not the rate of creates)'),
  'x-ratelimit-remaining': count('Concurrent slots still free'),
  'x-proxy': Type.Optional(
    Type.String({ description: 'The saved proxy that was taken, as `name:` with its name; not for a URL' }),
  ),
  'x-vnc-url': Type.Optional(Type.String({ description: 'Live view, where the session has one' })),
  'x-turnpike-warnings': Type.Optional(
    Type.String({ description: 'What the create asks for and does not get: a JSON array of sentences' }),
  ),
});

export const createErrors: readonly ApiErrorName[] = [
  'rateLimit',
  'usageCapReached',
  'concurrencyLimit',
  'proxyRequired',
  'proxyInvalid',
  'malformedParams',
  'badRequest',
  'sessionNotFound',
  'sessionEnded',
  'proxyUnreachable',
  'idempotencyMismatch',
  'profileInUse',
  'identityInUse',
  'extensionNotAllowed',
  'extensionFailed',
  'reconnectFailed',
  'creationFailedInGateway',
  'creationFailed',
  'capacity',
];

export const connectApi: ApiDescription = {
  id: 'connect',
  tag: 'Sessions',
  summary: 'Open a browser, or reconnect to one',
  description:
    'Starts a Chromium behind `proxy` and answers with its CDP WebSocket URL as plain text, nothing around it. ' +
    'With `sessionId` it answers with the URL of that running session again; that takes no slot and counts ' +
    'against no limit.\n\n' +
    'A session outlives its connections: it ends when it is closed, reaches its lifetime or dies. A client that ' +
    'hangs up before it has its answer has its session closed.\n\n' +
    'A key in the `x-api-key` header counts before one in `token`: a wrong header is 401 whatever `token` says.\n\n' +
    'As a WebSocket upgrade the answer is a redirect to the browser, which Playwright and Puppeteer follow.',
  security: ['apiKey', 'apiKeyInQuery'],
  query: ConnectQuery,
  headers: IdempotencyHeaders,
  answers: {
    200: {
      description: 'The CDP WebSocket URL. It is a secret: whoever has it has the browser.',
      headers: openedHeaders,
      content: {
        'text/plain': {
          schema: Type.String({ pattern: '^wss?://.+/cdp/br_[0-9a-f]{40}$' }),
          example: cdpUrl,
        },
      },
    },
    307: {
      description: 'To a WebSocket upgrade: the browser is there.',
      headers: Type.Object({ location: Type.String(), ...openedHeaders.properties }),
    },
  },
  errors: createErrors,
};

export const playwrightApi: ApiDescription = {
  id: 'connectPlaywright',
  tag: 'Sessions',
  summary: "Open a browser for Playwright's own protocol",
  description:
    'Takes what `GET /connect` takes, as a WebSocket upgrade. The answer is a redirect to the browser, which ' +
    "Playwright's `chromium.connect()` follows. " +
    `It is served for the versions ${playwrightMinors.join(', ')} of Playwright.`,
  security: ['apiKey', 'apiKeyInQuery'],
  query: ConnectQuery,
  headers: IdempotencyHeaders,
  answers: {
    307: {
      description: 'The browser is there.',
      headers: Type.Object({ location: Type.String(), ...openedHeaders.properties }),
    },
  },
  errors: [...createErrors, 'playwrightVersion', 'protocolNotOffered'],
};

export const createApi: ApiDescription = {
  id: 'createBrowser',
  tag: 'Sessions',
  summary: 'Open a browser and get the whole session',
  description: 'Does what `GET /connect` does, with a JSON body and the session as JSON.',
  security: ['apiKey'],
  headers: IdempotencyHeaders,
  body: json(CreateBody, {
    proxy: 'http://user:password@proxy.example:8000',
    os: 'macos',
    maxLifetime: 600,
  }),
  answers: {
    200: {
      description: 'The session.',
      headers: openedHeaders,
      example: { ...session, sessionId, wsEndpoint: cdpUrl },
    },
  },
  errors: createErrors,
};

export const closeApi: ApiDescription = {
  id: 'closeBrowser',
  tag: 'Sessions',
  summary: 'Close a session',
  description:
    'Its slot is free and its time is billed before the answer. Closing one that has ended answers with its ' +
    'final status, so this is safe to repeat.\n\n' +
    'A client that lost the answer to a create closes by `idempotencyKey`: whatever has become of that create, ' +
    'afterwards there is no session of it, and where there was no browser nothing is billed.',
  security: ['apiKey'],
  body: json(CloseBody, { browserId: sessionId }),
  answers: {
    200: { description: 'It has ended.', example: { browserId: sessionId, status: 'CLOSED' } },
  },
  errors: [
    'browserIdRequired',
    'badRequest',
    'tooManyClosedKeys',
    'sessionNotFound',
    'closeFailed',
    'closeRefused',
  ],
};
