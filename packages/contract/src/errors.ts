/**
 * Lists all errors as clients see them. `detail` has the broken rule or the cause. `early` errors are returned before
 * the route runs, and are JSON also on /connect, where the others are plain text.
 */
export interface ErrorSpec {
  status: number;
  message: string;
  code?: string;
  early?: boolean;
  retryAfterSeconds?: number;
}

export const errors = {
  missingKey: { status: 401, message: 'Missing API key', early: true },
  invalidKey: { status: 401, message: 'Invalid API key', early: true },
  authenticationUnavailable: {
    status: 503,
    message: 'Authentication service temporarily unavailable',
    early: true,
  },
  rateLimit: {
    status: 429,
    message: 'Rate limit exceeded',
    code: 'RATE_LIMIT',
    early: true,
    retryAfterSeconds: 60,
  },
  usageCapReached: {
    status: 402,
    message: 'Browser hours cap reached; ask the operator to raise it',
    code: 'USAGE_CAP_REACHED',
    early: true,
  },
  concurrencyLimit: {
    status: 429,
    message: 'Concurrent browser limit reached',
    code: 'CONCURRENCY_LIMIT',
    early: true,
    retryAfterSeconds: 5,
  },
  proxyRequired: { status: 400, message: 'A proxy is required for this account.', code: 'PROXY_REQUIRED' },
  proxyInvalid: { status: 400, message: 'That proxy is not valid.', code: 'PROXY_INVALID' },
  malformedParams: { status: 400, message: 'Malformed browser params' },
  browserIdRequired: { status: 400, message: 'browserId is required' },
  badRequest: { status: 400, message: 'Bad request' },
  notFound: { status: 404, message: 'Not found' },
  sessionNotFound: { status: 404, message: 'Session not found' },
  methodNotAllowed: { status: 405, message: 'Method not allowed. The Allow header names those that are.' },
  requestTimeout: { status: 408, message: 'The request did not arrive in time. Send it again.' },
  headersTooLarge: {
    status: 431,
    message: 'The request headers are too large. Send at most 64 KiB, the URL included.',
  },
  sessionEnded: { status: 410, message: 'Session is ended' },
  proxyUnreachable: {
    status: 422,
    message: 'The browser could not connect through that proxy. Check its host, port, username and password.',
    code: 'PROXY_UNREACHABLE',
  },
  idempotencyMismatch: {
    status: 422,
    message: 'That Idempotency-Key was used with other parameters.',
    code: 'IDEMPOTENCY_MISMATCH',
  },
  profileInUse: {
    status: 409,
    message: 'Another session is to save that profile: close it first, or do without saveProfile.',
    code: 'PROFILE_IN_USE',
  },
  cacheInUse: {
    status: 409,
    message: 'A session that will save that cache runs: close it first.',
    code: 'CACHE_IN_USE',
  },
  internal: { status: 500, message: 'Internal error' },
  reconnectFailed: { status: 500, message: 'Reconnect failed' },
  creationFailedInGateway: { status: 500, message: 'Browser creation failed', retryAfterSeconds: 2 },
  closeFailed: { status: 500, message: 'Close failed', retryAfterSeconds: 2 },
  creationFailed: { status: 502, message: 'Browser creation failed' },
  closeRefused: { status: 502, message: 'Backend DELETE failed' },
  capacity: {
    status: 503,
    message: 'All browsers are busy right now, try again in a moment.',
    code: 'CAPACITY',
    retryAfterSeconds: 2,
  },
  tooManyClosedKeys: {
    status: 429,
    message: 'Too many Idempotency-Keys were closed that had opened nothing: at most 1,000 in 24 hours',
    code: 'TOO_MANY_CLOSED_KEYS',
    retryAfterSeconds: 60,
  },
  tooManyStreams: {
    status: 429,
    message: 'Too many event streams are open for this account: close one first',
    code: 'TOO_MANY_STREAMS',
    retryAfterSeconds: 5,
  },
  missingToken: { status: 401, message: 'Missing statistics token' },
  invalidToken: { status: 401, message: 'Invalid statistics token' },
  accountSuspended: { status: 403, message: 'Account suspended' },
  statsRateLimit: { status: 429, message: 'Rate limit exceeded: max 60 requests per minute' },
  missingOperatorToken: { status: 401, message: 'Missing operator token' },
  invalidOperatorToken: { status: 401, message: 'Invalid operator token' },
  notSignedIn: { status: 401, message: 'Not signed in' },
  wrongPassword: { status: 401, message: 'E-mail address or password is wrong' },
  signInLimit: { status: 429, message: 'Too many tries to sign in; wait a moment' },
  linkGone: {
    status: 410,
    message: 'This link has expired or was already used. Ask your operator for a new one.',
  },
  crossSite: { status: 403, message: 'Refused' },
  notForYou: { status: 403, message: 'Not available to your role' },
  noSuchAccount: { status: 404, message: 'There is no such account' },
  hostSilent: { status: 502, message: "The session's host does not answer; try again" },
  conflict: { status: 409, message: 'Conflict' },
  busy: { status: 503, message: 'Busy; try again in a moment', retryAfterSeconds: 2 },
  storeUnavailable: { status: 503, message: 'Service temporarily unavailable', retryAfterSeconds: 2 },
} as const satisfies Record<string, ErrorSpec>;
export type ErrorName = keyof typeof errors;
