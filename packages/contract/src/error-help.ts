import { Type } from 'typebox';
import type { ErrorName } from './errors.ts';

/** What an error means and what to do, for documents, and the extra members of its JSON. */
export interface ErrorHelp {
  help: string;
  members?: Record<string, Type.TSchema>;
  /** A pattern of all its codes, where the catalogue's is one of several. */
  codes?: string;
}

/** Help for the errors of the API. Errors of the dashboard's own calls need none. */
export const errorHelp = {
  missingKey: { help: 'Send your key in the `x-api-key` header.' },
  invalidKey: {
    help: 'The key is mistyped or rotated, or the account is suspended. Do not retry.',
  },
  authenticationUnavailable: { help: 'The key could not be checked. Retry.' },
  rateLimit: {
    help: 'Too many create requests in 60 seconds, including refused ones. Wait for `retry-after`.',
    members: { limit: Type.Integer(), window: Type.Literal('60s') },
  },
  usageCapReached: {
    help: "The account's browser hours are used up. Running sessions continue and reconnects work. The operator can raise the limit.",
    members: { remainingSeconds: Type.Literal(0) },
  },
  concurrencyLimit: {
    help: "The account's limit of concurrent browsers is reached. Close one, or wait for `retry-after`.",
    members: { limit: Type.Integer(), active: Type.Integer() },
  },
  playwrightVersion: {
    help: "Playwright's own protocol changes with each version. `connectOverCDP` does not depend on it.",
  },
  protocolNotOffered: { help: 'WebDriver needs the package `chromium-driver` on the host.' },
  proxyRequired: {
    help: 'Every create needs a proxy, unless the account has set a default. An empty value counts as none.',
  },
  proxyInvalid: {
    help: 'The proxy URL is malformed, its address is not allowed, or no saved proxy or pool has that name. `detail` says why.',
  },
  malformedParams: { help: 'A parameter is invalid. The message names it and the reason.' },
  browserIdRequired: { help: 'Send `{"browserId": "…"}`.' },
  badRequest: {
    help: 'The message names the invalid part and the reason.',
    members: {
      field: Type.Optional(Type.String({ description: 'Of the body or query, on operator routes' })),
    },
  },
  notFound: { help: 'The path or object does not exist.' },
  methodNotAllowed: {
    help: 'The path exists for other methods, which `Allow` lists. `HEAD` works where `GET` does, except for `/connect`.',
  },
  requestTimeout: { help: 'The request did not arrive within 30 seconds. Send it again.' },
  headersTooLarge: {
    help: 'Send at most 64 KiB of headers, the URL included. Use the body of a create for metadata.',
  },
  sessionNotFound: {
    help: 'The session is unknown, belongs to another account, or its lifetime ended over an hour ago. `/user/api/sessions` lists it permanently. A reconnect takes the session id, not the CDP id.',
  },
  sessionEnded: { help: 'The session is CLOSED, DEAD or EXPIRED. Create a new one.' },
  proxyUnreachable: {
    help: 'The proxy is down or refuses the login. Check host, port, user name and password. `detail` has the cause.',
  },
  idempotencyMismatch: {
    help: 'The key belongs to a create with other parameters. Use a new key for a new session.',
  },
  profileInUse: {
    help: 'A session that will save this profile is running or starting. Close it first. Sessions without `save_profile` can use the profile in the meantime.',
  },
  sessionRunning: { help: 'Close the session, or wait until it ends, and retry.' },
  cacheInUse: {
    help: 'A session that will save this cache is running or starting. Close it first.',
  },
  extensionInvalid: { help: 'The message says what is wrong with the file.' },
  extensionNotAllowed: {
    help: 'The operator allows some extensions only, or none. `detail` has the id to ask for.',
  },
  identityInUse: {
    help: "A session of the snapshot's identity is running or starting. Close it first, or add `fork=true`.",
  },
  tooManySnapshots: { help: 'Delete a snapshot that you no longer use.' },
  snapshotFailed: { help: '`detail` says why. The session goes on.' },
  tooManySnapshotCalls: { help: 'Wait until the snapshots that are being taken have finished.' },
  tooManyExtensions: { help: 'Delete an extension that you no longer use.' },
  proxyInUse: {
    help: 'Sessions use the saved proxy, it is in a pool, or it is the default. `detail` says which.',
    members: {
      sessions: Type.Array(Type.String(), { description: 'Ids of running sessions, at most 100' }),
      pools: Type.Array(Type.String()),
      isDefault: Type.Boolean(),
    },
  },
  nothingToRotate: {
    help: 'Rotation needs a pool with another proxy, or a saved proxy with `{session}` in its URL.',
  },
  proxyNameTaken: { help: 'Another saved proxy, or another pool, of the account has this name.' },
  tooManyProxies: { help: 'Delete a saved proxy or a pool that you no longer use.' },
  tooManyCrawls: { help: 'An account has up to 20 crawls that are queued or run.' },
  tooManyUploads: { help: 'Wait until the uploads that run have finished.' },
  extensionFailed: {
    help: 'Chromium refused an extension of the create. `detail` says which, and why. Do not retry.',
  },
  pageFailed: {
    help: 'The page did not load, or a wait did not end. The code says why: `PAGE_DNS`, `PAGE_TLS`, `PAGE_TIMEOUT`, `PAGE_HTTP_403` and so on. `page` has what is known of it. With `bestAttempt` a call answers with what there is.',
    codes: '^PAGE_[A-Z0-9_]+$',
    members: { sessionId: Type.String(), page: Type.Object({}, { additionalProperties: true }) },
  },
  scriptFailed: { help: 'Your script, or Lighthouse, threw an error. The message has its words.' },
  scriptTimeout: {
    help: 'The script did not end in the time of the call. Give `timeout` in milliseconds, up to 120,000.',
  },
  pageUrl: { help: 'Only `http` and `https` addresses are loaded.' },
  noModel: { help: 'JSON is made of pages by a model of your own.' },
  modelFailed: { help: 'Your model endpoint did not answer, or refused. The message has its words.' },
  modelAnswerInvalid: {
    help: 'The message has the rule that it breaks, and `answer` what the model said.',
    members: { answer: Type.String() },
  },
  pageSessionLost: { help: 'The browser or its host went away. Repeat the call.' },
  pageCallsOff: {
    help: 'The operator has turned page calls off, or the account itself has: the message says who. See `POST /user/api/settings`.',
  },
  tooManyPages: { help: 'Wait for `retry-after`, or make fewer calls at once.' },
  wakeWaits: { help: 'More sessions of its host wake than fit into memory. It wakes when there is room.' },
  conflict: { help: 'A call with the same `Idempotency-Key` is under way.' },
  recordingNotFound: {
    help: 'The session was not recorded, belongs to another account, or its recording has expired or was deleted.',
  },
  noPictures: { help: 'Record with `record_pictures` of 1 or more, or export `har` or `ndjson`.' },
  recordingUnavailable: { help: 'The storage of recordings does not answer. Retry after `retry-after`.' },
  videoUnavailable: {
    help: 'The operator installs ffmpeg on the gateways. `har` and `ndjson` need nothing.',
  },
  busy: {
    help: 'All accounts together have used up what this gateway does of these at once. Retry after `retry-after`.',
  },
  internal: { help: 'An error in the service. Its log has the request.' },
  reconnectFailed: { help: 'The session could not be looked up. Retry.' },
  creationFailedInGateway: {
    help: 'The gateway could not reach its database. Retry once, with the same `Idempotency-Key`.',
  },
  closeFailed: { help: 'The gateway could not record the end. Call again; a close is safe to repeat.' },
  creationFailed: { help: 'The browser did not start. Retry once.' },
  hostSilent: { help: 'What was asked for may have been done or not. Read the session, and call again.' },
  closeRefused: { help: 'The host could not close the browser. It is still running: call again.' },
  tooManyClosedKeys: {
    help: 'The account closed 1,000 keys in 24 hours that had opened nothing. Close by `browserId`, or wait.',
  },
  capacity: {
    help: 'No host has a free seat, or too many browsers are starting. Wait for `retry-after` and retry. If the hosts are of an earlier version and would ignore a parameter, the message names it.',
  },
  tooManyStreams: {
    help: 'Ten event streams are open on this gateway. Close one, or wait for `retry-after`.',
  },
  tooManyReads: {
    help: 'Eight exports, recordings or other large answers are being read with this account, or four by one share link. Finish reading one, or wait for `retry-after`.',
  },
  missingToken: { help: 'Send `Authorization: Bearer tpapi_…`.' },
  invalidToken: { help: 'The token is malformed or was rotated.' },
  accountSuspended: { help: 'The operator suspended the account.' },
  statsRateLimit: {
    help: 'More than 60 requests in a minute, all statistics endpoints together. Wait for `retry-after`.',
  },
  missingOperatorToken: { help: 'Send `Authorization: Bearer tpop_…`.' },
  invalidOperatorToken: { help: 'The token is malformed or was revoked.' },
  noSuchAccount: { help: 'No account has that id.' },
  storeUnavailable: { help: 'The database cannot be reached. Retry after `retry-after`.' },
} satisfies Partial<Record<ErrorName, ErrorHelp>>;

export type ApiErrorName = keyof typeof errorHelp;
