/**
 * Lists all errors as clients see them. `detail` has the broken rule or the cause. `early` errors are returned before
 * the route runs, and are JSON also on /connect, where the others are plain text.
 */
export type ErrorSpec = ErrorText & (ClientError | ServerError);

interface ErrorText {
  message: string;
  /** What to do, where the contract fixes a message that does not say it. Sent as `detail`. */
  detail?: string;
  early?: boolean;
  retryAfterSeconds?: number;
}

/** A program can tell every error that it could have avoided by its code. */
interface ClientError {
  status: 400 | 401 | 402 | 403 | 404 | 405 | 408 | 409 | 410 | 422 | 428 | 429 | 431;
  code: string;
}

interface ServerError {
  status: 500 | 502 | 503;
  code?: string;
}

export const errors = {
  missingKey: {
    status: 401,
    message: 'Missing API key',
    code: 'MISSING_API_KEY',
    detail: 'Send your API key in the x-api-key header.',
    early: true,
  },
  invalidKey: { status: 401, message: 'Invalid API key', code: 'INVALID_API_KEY', early: true },
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
  playwrightVersion: {
    status: 428,
    message: 'This version of Playwright is not served',
    code: 'PLAYWRIGHT_VERSION',
  },
  protocolNotOffered: {
    status: 503,
    message: 'The host of this session does not offer this protocol. No browser was kept',
    code: 'PROTOCOL_NOT_OFFERED',
  },
  proxyRequired: { status: 400, message: 'A proxy is required for this account.', code: 'PROXY_REQUIRED' },
  proxyInvalid: { status: 400, message: 'That proxy is not valid.', code: 'PROXY_INVALID' },
  malformedParams: { status: 400, message: 'Malformed browser params', code: 'MALFORMED_PARAMS' },
  browserIdRequired: { status: 400, message: 'browserId is required', code: 'BROWSER_ID_REQUIRED' },
  badRequest: { status: 400, message: 'Bad request', code: 'BAD_REQUEST' },
  notFound: { status: 404, message: 'Not found', code: 'NOT_FOUND' },
  sessionNotFound: { status: 404, message: 'Session not found', code: 'SESSION_NOT_FOUND' },
  methodNotAllowed: {
    status: 405,
    message: 'Method not allowed. The Allow header names those that are.',
    code: 'METHOD_NOT_ALLOWED',
  },
  requestTimeout: {
    status: 408,
    message: 'The request did not arrive in time. Send it again.',
    code: 'REQUEST_TIMEOUT',
  },
  headersTooLarge: {
    status: 431,
    message: 'The request headers are too large. Send at most 64 KiB, the URL included.',
    code: 'HEADERS_TOO_LARGE',
  },
  sessionEnded: { status: 410, message: 'Session is ended', code: 'SESSION_ENDED' },
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
    message: 'Another session already saves that profile. Close it first, or leave out saveProfile.',
    code: 'PROFILE_IN_USE',
  },
  sessionRunning: {
    status: 409,
    message: 'The session is still running: close it first.',
    code: 'SESSION_RUNNING',
  },
  recordingNotFound: {
    status: 404,
    message: 'There is no such recording. It was not recorded, has expired or was deleted.',
    code: 'RECORDING_NOT_FOUND',
  },
  noPictures: {
    status: 409,
    message: 'The recording has no pictures, so there is no video of it.',
    code: 'NO_PICTURES',
  },
  cacheInUse: {
    status: 409,
    message: 'A session that saves that cache is running. Close it first.',
    code: 'CACHE_IN_USE',
  },
  identityInUse: {
    status: 409,
    message:
      'A session of the same identity is running: the one that the snapshot was taken of, or one that began with it. Close it first, or add fork=true.',
    code: 'IDENTITY_IN_USE',
  },
  tooManySnapshots: {
    status: 409,
    message: 'The account has as many snapshots as it may have. Delete one first.',
    code: 'TOO_MANY_SNAPSHOTS',
  },
  snapshotFailed: {
    status: 422,
    message: 'No snapshot was taken. The detail says why. The session goes on.',
    code: 'SNAPSHOT_FAILED',
  },
  extensionInvalid: {
    status: 400,
    message: 'That extension cannot be used',
    code: 'EXTENSION_INVALID',
  },
  extensionNotAllowed: {
    status: 403,
    message: 'The operator of this service does not allow that extension.',
    code: 'EXTENSION_NOT_ALLOWED',
  },
  tooManyExtensions: {
    status: 409,
    message: 'The account has as many extensions as it may have. Delete one first.',
    code: 'TOO_MANY_EXTENSIONS',
  },
  proxyInUse: {
    status: 409,
    message: 'That proxy is in use. The detail says where.',
    code: 'PROXY_IN_USE',
  },
  nothingToRotate: {
    status: 409,
    message: "The session's proxy has no other exit: it is of no pool, and its URL has no {session}.",
    code: 'NOTHING_TO_ROTATE',
  },
  proxyNameTaken: { status: 409, message: 'That name is taken. Choose another.', code: 'PROXY_NAME_TAKEN' },
  tooManyProxies: {
    status: 409,
    message: 'The account has as many of these as it may have. Delete one first.',
    code: 'TOO_MANY_PROXIES',
  },
  extensionFailed: {
    status: 422,
    message: 'The browser did not load an extension. The detail says why.',
    code: 'EXTENSION_FAILED',
  },
  pageFailed: { status: 422, message: 'The page did not load.', code: 'PAGE_FAILED' },
  scriptFailed: { status: 400, message: 'The script failed.', code: 'SCRIPT_FAILED' },
  scriptTimeout: { status: 408, message: 'The script took too long.', code: 'SCRIPT_TIMEOUT' },
  pageUrl: {
    status: 400,
    message: 'url must be an address with http or https, such as https://example.com/',
    code: 'PAGE_URL',
  },
  noModel: {
    status: 404,
    message: 'This account has no model endpoint. Set one with PUT /user/api/model.',
    code: 'NO_MODEL',
  },
  modelFailed: { status: 422, message: 'The model endpoint failed', code: 'MODEL_FAILED' },
  modelAnswerInvalid: {
    status: 422,
    message: "The model's answer does not fit the schema",
    code: 'MODEL_ANSWER_INVALID',
  },
  pageCallsOff: {
    status: 403,
    message: 'The operator has turned page calls off here. Open a session, and drive it yourself.',
    code: 'PAGE_CALLS_OFF',
  },
  tooManyPages: {
    status: 429,
    message: 'Too many page calls of this account are under way. Finish one first, or wait.',
    code: 'TOO_MANY_PAGES',
    retryAfterSeconds: 2,
  },
  internal: { status: 500, message: 'Internal error' },
  reconnectFailed: { status: 500, message: 'Reconnect failed' },
  creationFailedInGateway: { status: 500, message: 'Browser creation failed', retryAfterSeconds: 2 },
  closeFailed: { status: 500, message: 'Close failed', retryAfterSeconds: 2 },
  creationFailed: { status: 502, message: 'Browser creation failed' },
  pageSessionLost: { status: 502, message: 'The session ended before the page was read. Try again.' },
  closeRefused: { status: 502, message: 'Backend DELETE failed' },
  capacity: {
    status: 503,
    message: 'All browsers are busy right now, try again in a moment.',
    code: 'CAPACITY',
    retryAfterSeconds: 2,
  },
  wakeWaits: {
    status: 503,
    message: 'The session waits to wake: its host has no memory for it right now. Try again in a moment.',
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
  tooManyReads: {
    status: 429,
    message: 'Too many exports and large answers are being read at once. Finish one first, or wait.',
    code: 'TOO_MANY_READS',
    retryAfterSeconds: 5,
  },
  tooManyUploads: {
    status: 429,
    message: 'Too many extensions are being uploaded at once. Finish one first, or wait.',
    code: 'TOO_MANY_UPLOADS',
    retryAfterSeconds: 5,
  },
  tooManySnapshotCalls: {
    status: 429,
    message: 'Too many snapshots of this account are being taken at once. Finish one first, or wait.',
    code: 'TOO_MANY_SNAPSHOT_CALLS',
    retryAfterSeconds: 5,
  },
  tooManyCrawls: {
    status: 429,
    message: 'The account has too many crawls that have not ended: cancel one, or wait for one',
    code: 'TOO_MANY_CRAWLS',
    retryAfterSeconds: 60,
  },
  missingToken: { status: 401, message: 'Missing statistics token', code: 'MISSING_STATS_TOKEN' },
  invalidToken: { status: 401, message: 'Invalid statistics token', code: 'INVALID_STATS_TOKEN' },
  accountSuspended: { status: 403, message: 'Account suspended', code: 'ACCOUNT_SUSPENDED' },
  statsRateLimit: {
    status: 429,
    message: 'Rate limit exceeded: max 60 requests per minute',
    code: 'RATE_LIMIT',
  },
  missingOperatorToken: { status: 401, message: 'Missing operator token', code: 'MISSING_OPERATOR_TOKEN' },
  invalidOperatorToken: { status: 401, message: 'Invalid operator token', code: 'INVALID_OPERATOR_TOKEN' },
  notSignedIn: { status: 401, message: 'Not signed in', code: 'NOT_SIGNED_IN' },
  wrongPassword: { status: 401, message: 'E-mail address or password is wrong', code: 'WRONG_PASSWORD' },
  signInLimit: { status: 429, message: 'Too many tries to sign in; wait a moment', code: 'SIGN_IN_LIMIT' },
  linkGone: {
    status: 410,
    message: 'This link has expired or was already used. Ask your operator for a new one.',
    code: 'LINK_GONE',
  },
  crossSite: { status: 403, message: 'Refused', code: 'CROSS_SITE' },
  notForYou: { status: 403, message: 'Not available to your role', code: 'WRONG_ROLE' },
  noSuchAccount: { status: 404, message: 'There is no such account', code: 'ACCOUNT_NOT_FOUND' },
  hostSilent: { status: 502, message: "The session's host does not answer; try again" },
  clientsPaused: {
    status: 409,
    message: 'Somebody else has paused the clients of this session',
    code: 'CLIENTS_PAUSED',
  },
  conflict: { status: 409, message: 'Conflict', code: 'CONFLICT' },
  recordingUnavailable: {
    status: 503,
    message: 'The recording cannot be read now; try again',
    retryAfterSeconds: 2,
  },
  videoUnavailable: {
    status: 503,
    message: 'Videos cannot be made here: ffmpeg is not installed. The operator installs it on the gateways.',
  },
  busy: { status: 503, message: 'Busy; try again in a moment', retryAfterSeconds: 2 },
  storeUnavailable: { status: 503, message: 'Service temporarily unavailable', retryAfterSeconds: 2 },
} as const satisfies Record<string, ErrorSpec>;
export type ErrorName = keyof typeof errors;
