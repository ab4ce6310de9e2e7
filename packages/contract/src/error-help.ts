import { Type } from 'typebox';
import type { ErrorName } from './errors.ts';

/** What an error means and what to do about it, for documents; and the members that its JSON has of its own. */
export interface ErrorHelp {
  help: string;
  members?: Record<string, Type.TSchema>;
}

/** Of those that are the API's; what only the dashboard's own calls answer needs none. */
export const errorHelp = {
  missingKey: { help: 'No key came along. Send it in the `x-api-key` header.' },
  invalidKey: {
    help: 'Not the key of an active account: mistyped, rotated, or the account is suspended. Do not retry.',
  },
  authenticationUnavailable: { help: 'The key could not be looked up; it may be fine. Retry.' },
  rateLimit: {
    help: 'Too many create requests in 60 seconds; refused ones count too. Wait for `retry-after`.',
    members: { limit: Type.Integer(), window: Type.Literal('60s') },
  },
  usageCapReached: {
    help: 'The browser hours of the account are used up. Running sessions go on and reconnects work; the operator can raise the cap.',
    members: { remainingSeconds: Type.Literal(0) },
  },
  concurrencyLimit: {
    help: 'As many browsers run as the account may have. Close one, or wait for `retry-after`.',
    members: { limit: Type.Integer(), active: Type.Integer() },
  },
  proxyRequired: { help: 'A create names a proxy, always. Empty text counts as none.' },
  proxyInvalid: { help: 'The proxy URL is malformed, or its address may not be used. `detail` says why.' },
  malformedParams: { help: 'A parameter was refused; the message names it and the rule that it broke.' },
  browserIdRequired: { help: 'Send `{"browserId": "…"}`.' },
  badRequest: {
    help: 'The message names what was refused and the rule that it broke.',
    members: {
      field: Type.Optional(Type.String({ description: 'Of the body or query, on operator routes' })),
    },
  },
  notFound: { help: 'There is no such path or thing.' },
  methodNotAllowed: {
    help: 'The path is there, for other methods. `HEAD` works where `GET` does, but for `/connect`.',
  },
  headersTooLarge: {
    help: 'Send at most 64 KiB of headers, the URL included. Use the body of a create for metadata.',
  },
  sessionNotFound: {
    help: "Unknown, another account's, or older than its lifetime and an hour; `/user/api/sessions` has it for good. A reconnect takes the session id, not the CDP id.",
  },
  sessionEnded: { help: 'The session is CLOSED, DEAD or EXPIRED and does not come back. Create a new one.' },
  proxyUnreachable: {
    help: 'The proxy is down, or refuses the login. Check host, port, user name and password; `detail` says what was seen.',
  },
  idempotencyMismatch: {
    help: 'The key belongs to a create with other parameters. Use a new key for a new session.',
  },
  profileInUse: {
    help: 'A session that will save this profile runs or starts. Close it first. Sessions without `saveProfile` may begin with the profile meanwhile.',
  },
  internal: { help: 'A fault of the service; its log has the request.' },
  reconnectFailed: { help: 'The session could not be looked up. Retry.' },
  creationFailedInGateway: {
    help: 'The gateway could not reach its database. Retry once, with the same `Idempotency-Key`.',
  },
  closeFailed: { help: 'The gateway could not record the end. Call again; a close is safe to repeat.' },
  creationFailed: { help: 'The browser did not start. Retry once.' },
  closeRefused: { help: 'The host could not close the browser, which goes on. Call again.' },
  tooManyClosedKeys: {
    help: 'The account closed 1,000 keys in 24 hours that had opened nothing. Close by `browserId`, or wait.',
  },
  capacity: {
    help: 'No host has a free seat, or more browsers are to start than the machines can in time. Wait for `retry-after` and retry.',
  },
  tooManyStreams: { help: 'Ten are open on this gateway. Close one, or wait for `retry-after`.' },
  missingToken: { help: 'Send `Authorization: Bearer tpapi_…`.' },
  invalidToken: { help: 'Malformed, or rotated.' },
  accountSuspended: { help: 'The operator has suspended the account. It works again when reinstated.' },
  statsRateLimit: {
    help: 'More than 60 requests in a minute, all statistics endpoints together. Wait for `retry-after`.',
  },
  missingOperatorToken: { help: 'Send `Authorization: Bearer tpop_…`.' },
  invalidOperatorToken: { help: 'Malformed, or revoked.' },
  noSuchAccount: { help: 'No account has that id.' },
  storeUnavailable: { help: 'The database cannot be reached. Retry after `retry-after`.' },
} satisfies Partial<Record<ErrorName, ErrorHelp>>;

export type ApiErrorName = keyof typeof errorHelp;
