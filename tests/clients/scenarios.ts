import { join } from 'node:path';

/**
 * What every client must do, as plain data: one list, run by the Node client, the Python client and the command
 * line against the same running service, with the same outcome.
 *
 * A client is reached through a driver, `(call, options) => Promise<Outcome>`; one in another language is a
 * process that reads a request a line and writes an outcome a line (see stdio-driver.ts):
 *
 *   {"call":"configure","options":{"endpoint":"http://…","apiKey":"tp_live_…","retries":0}}  →  {"ok":null}
 *   {"call":"create","options":{"proxy":"http://…","maxLifetime":600}}  →  {"ok":{"browserId":"br_…",…}}
 *   {"call":"status","options":{"id":"br_0"}}  →  {"error":{"class":"SessionNotFoundError","statusCode":404}}
 *
 * Calls and their options, named as in the Node client:
 *   configure { endpoint, apiKey, retries?, timeoutMs? }   a new client; answers null
 *   create { …create options in camelCase }                the session object
 *   connectUrl { …create options }                         { cdpUrl, sessionId, vncUrl } (null where there is none)
 *   reconnectUrl { sessionId }                             the same
 *   status { id } · close { sessionId? }                   the gateway's objects
 *   statuses { ids }                                       an array
 *   listBrowsers {} · listSessions { status? }             arrays, all pages
 *   takeSnapshot { sessionId, name }                       the snapshot
 *   listSnapshots {} · deleteSnapshot { id }               an array; null
 *   listProfiles {} · deleteProfile { name }               an array; null
 *   listCaches {} · deleteCache { name }                   an array; null
 *   listExtensions {} · deleteExtension { id }             an array; null
 *   uploadExtension { file }                               the gateway's object; the file is a path
 *   getLimits {} · getMe {} · getUsage {}                  the gateway's objects
 *   getSessionCount {}                                     a number
 *   traffic { sessionId } · accountTraffic { from?, to? }   the gateway's objects
 *   trafficCsv, accountTrafficCsv                          the same as CSV
 *   summary { token, product } · bandwidth, bandwidthCsv, countries { token, product, from, to?, unit? }
 *                                                          the `data` object, or the CSV text
 *
 * An error has its class's name and its fields in camelCase: statusCode, code, limit, active, retryAfter (seconds),
 * detail, finalStatus. Fields that do not apply are left out or null.
 */

export type Outcome = { ok: unknown } | { error: ClientError };

export interface ClientError {
  class: string;
  statusCode?: number | null;
  code?: string | null;
  [field: string]: unknown;
}

export type Call =
  | 'configure'
  | 'create'
  | 'connectUrl'
  | 'reconnectUrl'
  | 'status'
  | 'statuses'
  | 'close'
  | 'listBrowsers'
  | 'listSessions'
  | 'listProfiles'
  | 'deleteProfile'
  | 'takeSnapshot'
  | 'listSnapshots'
  | 'deleteSnapshot'
  | 'listCaches'
  | 'deleteCache'
  | 'listExtensions'
  | 'uploadExtension'
  | 'deleteExtension'
  | 'getLimits'
  | 'getMe'
  | 'getUsage'
  | 'getSessionCount'
  | 'traffic'
  | 'trafficCsv'
  | 'accountTraffic'
  | 'accountTrafficCsv'
  | 'summary'
  | 'bandwidth'
  | 'bandwidthCsv'
  | 'countries';

/**
 * `options` and `expect` may hold `$name` (or `$name.member`), which stands for what an earlier step saved or what
 * the harness knows; and `expect` `{ $match: 'regular expression' }` or `{ $length: n }`. Objects are compared by the
 * members that `expect` has.
 */
export interface CallStep {
  call: Call;
  options?: Record<string, unknown>;
  expect: { ok: unknown } | { error: Record<string, unknown> };
  save?: string;
}

/** What the harness does between calls. `drive` opens a page by Playwright over `cdpUrl`; `sameTab` finds it again. */
export type ServiceStep =
  | { harness: 'drive' | 'sameTab'; cdpUrl: string }
  | { harness: 'loseBrowser' | 'carry'; sessionId: string }
  | { harness: 'failOpens' | 'refuseCloses' | 'loseStore' | 'mend' };

export interface Scenario {
  name: string;
  /** `service`: real browsers, all in one. `gateway`: a gateway whose host does as it is told. */
  on: 'service' | 'gateway';
  /** Limits of the account that it runs as, for `turnpike account set`. */
  limits?: { concurrent?: number; browserHours?: number; createsPerMinute?: number };
  steps: readonly (CallStep | ServiceStep)[];
}

const sessionId = { $match: '^br_[0-9a-f]{24}$' };
const cdpUrl = { $match: '^wss?://.+/cdp/br_[0-9a-f]{40}$' };
const timestamp = { $match: '^\\d{4}-\\d\\d-\\d\\dT.+Z$' };
const notFound = { error: { class: 'SessionNotFoundError', statusCode: 404 } };
const configure: CallStep = {
  call: 'configure',
  options: { endpoint: '$endpoint', apiKey: '$apiKey', retries: 0 },
  expect: { ok: null },
};
const refused = (options: Record<string, unknown>, error: Record<string, unknown>): CallStep[] =>
  (['create', 'connectUrl'] as const).map((call) => ({ call, options, expect: { error } }));

export const scenarios: readonly Scenario[] = [
  {
    name: 'a session is made, driven, left, found again, listed and closed',
    on: 'service',
    steps: [
      configure,
      {
        call: 'create',
        options: {
          proxy: '$proxy',
          os: 'linux',
          headless: true,
          maxLifetime: 600,
          metadata: { job: 'seven' },
        },
        expect: {
          ok: {
            browserId: sessionId,
            cdpUrl,
            status: 'ACTIVE',
            createdAt: timestamp,
            expiresAt: timestamp,
            browserParams: {
              os: 'linux',
              headless: true,
              maxLifetime: 600,
              proxy: { $match: ':\\*\\*\\*@' },
            },
            metadata: { job: 'seven' },
          },
        },
        save: 'session',
      },
      { harness: 'drive', cdpUrl: '$session.cdpUrl' },
      {
        call: 'reconnectUrl',
        options: { sessionId: '$session.browserId' },
        expect: { ok: { cdpUrl: '$session.cdpUrl', sessionId: '$session.browserId' } },
        save: 'again',
      },
      { harness: 'sameTab', cdpUrl: '$again.cdpUrl' },
      {
        call: 'status',
        options: { id: '$session.browserId' },
        expect: { ok: { status: 'ACTIVE', cdpUrl: '$session.cdpUrl', expiresAt: '$session.expiresAt' } },
      },
      {
        call: 'statuses',
        options: { ids: ['br_none', '$session.browserId'] },
        expect: {
          ok: [
            { browserId: 'br_none', status: 'NOT_FOUND' },
            { browserId: '$session.browserId', status: 'ACTIVE', metadata: { job: 'seven' } },
          ],
        },
      },
      {
        call: 'listBrowsers',
        expect: { ok: [{ browserId: '$session.browserId', status: 'ACTIVE', cdpUrl: '$session.cdpUrl' }] },
      },
      { call: 'getSessionCount', expect: { ok: 1 } },
      { call: 'getLimits', expect: { ok: { limit: 5, active: 1, remaining: 4, unlimited: false } } },
      // The one seat of the service is taken.
      ...refused(
        { proxy: '$proxy', headless: true },
        { class: 'CapacityError', statusCode: 503, code: 'CAPACITY', retryAfter: 2 },
      ),
      {
        call: 'close',
        options: { sessionId: '$session.browserId' },
        expect: { ok: { browserId: '$session.browserId', status: 'CLOSED' } },
      },
      {
        call: 'close',
        options: { sessionId: '$session.browserId' },
        expect: { ok: { browserId: '$session.browserId', status: 'CLOSED' } },
      },
      {
        call: 'reconnectUrl',
        options: { sessionId: '$session.browserId' },
        expect: { error: { class: 'SessionEndedError', statusCode: 410, finalStatus: 'CLOSED' } },
      },
      { call: 'listBrowsers', expect: { ok: [] } },
      {
        call: 'listSessions',
        expect: {
          ok: [{ browserId: '$session.browserId', status: 'CLOSED', billedSeconds: { $match: '^\\d+$' } }],
        },
      },
      { call: 'listSessions', options: { status: 'DEAD' }, expect: { ok: [] } },
      { call: 'getUsage', expect: { ok: { totals: { sessions: 1 }, days: { $length: 1 } } } },
      {
        call: 'getMe',
        expect: { ok: { account: { id: '$accountId', status: 'active' }, usage: { sessions: 1 } } },
      },
    ],
  },
  {
    name: 'a profile is saved by one session at a time, listed and deleted',
    on: 'gateway',
    steps: [
      configure,
      {
        call: 'create',
        options: { proxy: '$proxy', profile: 'shop', saveProfile: true },
        expect: { ok: { browserParams: { savedProfile: 'shop', saveProfile: true } } },
        save: 'session',
      },
      ...refused(
        { proxy: '$proxy', profile: 'shop', saveProfile: true },
        { class: 'BrowserCreateError', statusCode: 409, code: 'PROFILE_IN_USE' },
      ),
      {
        call: 'deleteProfile',
        options: { name: 'shop' },
        expect: { error: { class: 'TurnpikeError', statusCode: 409, code: 'PROFILE_IN_USE' } },
      },
      { call: 'close', options: { sessionId: '$session.browserId' }, expect: { ok: { status: 'CLOSED' } } },
      {
        call: 'listProfiles',
        expect: { ok: [{ name: 'shop', bytes: 4, inUse: false, updatedAt: timestamp }] },
      },
      { call: 'deleteProfile', options: { name: 'shop' }, expect: { ok: null } },
      { call: 'listProfiles', expect: { ok: [] } },
      {
        call: 'deleteProfile',
        options: { name: 'shop' },
        expect: { error: { class: 'TurnpikeError', statusCode: 404 } },
      },
    ],
  },
  {
    name: 'a snapshot is taken, begun with, listed and deleted',
    on: 'gateway',
    steps: [
      configure,
      {
        call: 'create',
        options: { proxy: '$proxy' },
        expect: { ok: { browserId: { $match: '^br_' } } },
        save: 'session',
      },
      {
        call: 'takeSnapshot',
        options: { sessionId: '$session.browserId', name: 'signed in' },
        expect: {
          ok: { name: 'signed in', bytes: 4, tabs: 1, lost: [], inUse: true, expiresAt: timestamp },
        },
        save: 'taken',
      },
      ...refused(
        { proxy: '$proxy', snapshot: '$taken.snapshot' },
        { class: 'BrowserCreateError', statusCode: 409, code: 'IDENTITY_IN_USE' },
      ),
      {
        call: 'create',
        options: { proxy: '$proxy', snapshot: '$taken.snapshot', fork: true },
        expect: { ok: { browserParams: { snapshot: '$taken.snapshot', fork: true } } },
      },
      { call: 'listSnapshots', expect: { ok: [{ snapshot: '$taken.snapshot', tabs: 1 }] } },
      { call: 'deleteSnapshot', options: { id: '$taken.snapshot' }, expect: { ok: null } },
      { call: 'listSnapshots', expect: { ok: [] } },
    ],
  },
  {
    name: 'a cache is saved by its session, listed and deleted',
    on: 'gateway',
    steps: [
      configure,
      {
        call: 'create',
        options: { proxy: '$proxy', cache: 'shop', block: ['images', 'fonts'] },
        expect: { ok: { browserParams: { cache: 'shop', block: ['images', 'fonts'] } } },
        save: 'session',
      },
      {
        call: 'deleteCache',
        options: { name: 'shop' },
        expect: { error: { class: 'TurnpikeError', statusCode: 409, code: 'CACHE_IN_USE' } },
      },
      { call: 'close', options: { sessionId: '$session.browserId' }, expect: { ok: { status: 'CLOSED' } } },
      {
        call: 'listCaches',
        expect: { ok: [{ name: 'shop', bytes: 5, inUse: false, updatedAt: timestamp }] },
      },
      { call: 'deleteCache', options: { name: 'shop' }, expect: { ok: null } },
      { call: 'listCaches', expect: { ok: [] } },
    ],
  },
  {
    name: 'an extension is uploaded, named in a create, listed and deleted',
    on: 'gateway',
    steps: [
      configure,
      {
        call: 'uploadExtension',
        options: { file: join(import.meta.dirname, '../fixtures/extensions/example.zip') },
        expect: {
          ok: { name: 'Example', version: '1.0', id: { $match: '^[a-p]{32}$' }, createdAt: timestamp },
        },
        save: 'extension',
      },
      {
        call: 'uploadExtension',
        options: { file: join(import.meta.dirname, 'scenarios.ts') },
        expect: { error: { class: 'TurnpikeError', statusCode: 400, code: 'EXTENSION_INVALID' } },
      },
      {
        call: 'create',
        options: { proxy: '$proxy', extensions: ['Example'] },
        expect: { ok: { browserParams: { extensions: ['Example'] } } },
      },
      { call: 'listExtensions', expect: { ok: [{ id: '$extension.id', name: 'Example' }] } },
      { call: 'deleteExtension', options: { id: '$extension.id' }, expect: { ok: null } },
      { call: 'listExtensions', expect: { ok: [] } },
      ...refused(
        { proxy: '$proxy', extensions: ['Example'] },
        { class: 'BrowserCreateError', statusCode: 400, code: 'MALFORMED_PARAMS' },
      ),
    ],
  },
  {
    name: 'traffic is read by destination, live, final and by day, as JSON and as CSV',
    on: 'gateway',
    steps: [
      configure,
      {
        call: 'create',
        options: { proxy: '$proxy', maxBytes: 100_000 },
        expect: { ok: { status: 'ACTIVE' } },
        save: 'session',
      },
      { harness: 'carry', sessionId: '$session.browserId' },
      {
        call: 'traffic',
        options: { sessionId: '$session.browserId' },
        expect: {
          ok: {
            ...{ browserId: '$session.browserId', status: 'ACTIVE', live: true, asOf: timestamp },
            ...{ bytesUp: 100, bytesDown: 2000, bytesFromCache: 77 },
            ...{ maxBytes: 100_000, maxBytesReached: false, refused: { block_hosts: 3 }, estimate: null },
            destinations: [
              {
                ...{ host: 'a.test', port: 443, requests: 0, tunnels: 1, bytesUp: 90, bytesDown: 1500 },
                ...{ refused: { block_hosts: 3 }, firstAt: timestamp, lastAt: timestamp },
              },
            ],
            other: { requests: 2, tunnels: 0, bytesUp: 10, bytesDown: 500 },
          },
        },
      },
      { call: 'close', options: { sessionId: '$session.browserId' }, expect: { ok: { status: 'CLOSED' } } },
      {
        call: 'trafficCsv',
        options: { sessionId: '$session.browserId' },
        expect: {
          ok: { $match: '^host,port,.*\r\na\\.test,443,0,1,90,1500,3,.*\r\n,,2,0,10,500,0,,,\r\n$' },
        },
      },
      {
        call: 'accountTraffic',
        expect: {
          ok: {
            from: { $match: '^\\d{4}-\\d\\d-\\d\\d$' },
            days: [
              {
                ...{ bytesUp: 100, bytesDown: 2000, bytesFromCache: 77, refused: 3 },
                destinations: [{ host: 'a.test', port: 443, bytesDown: 1500, refused: 3 }],
                other: { requests: 2, bytesDown: 500 },
              },
            ],
          },
        },
      },
      {
        call: 'accountTraffic',
        options: { from: '2026-01-01', to: '2026-01-02' },
        expect: { ok: { from: '2026-01-01', to: '2026-01-02', days: [] } },
      },
      {
        call: 'accountTrafficCsv',
        expect: {
          ok: { $match: '^date,host,.*\r\n.*,a\\.test,443,0,1,90,1500,3\r\n.*,,,2,0,10,500,0\r\n$' },
        },
      },
      {
        call: 'accountTraffic',
        options: { from: '2026-13-01' },
        expect: { error: { class: 'TurnpikeError', statusCode: 400 } },
      },
      { call: 'traffic', options: { sessionId: '$unknownSession' }, expect: notFound },
    ],
  },
  {
    name: 'what is wrong with a create is told apart',
    on: 'service',
    steps: [
      configure,
      ...refused(
        {},
        { class: 'ProxyError', statusCode: 400, code: 'PROXY_REQUIRED', detail: 'no proxy supplied' },
      ),
      ...refused(
        { proxy: 'http://proxy.example' },
        { class: 'ProxyError', statusCode: 400, code: 'PROXY_INVALID', detail: { $match: 'port' } },
      ),
      ...refused(
        { proxy: '$deadProxy', headless: true },
        { class: 'ProxyError', statusCode: 422, code: 'PROXY_UNREACHABLE', detail: { $match: '.' } },
      ),
      ...refused(
        { proxy: '$proxy', browserVersionMin: 9, browserVersionMax: 3 },
        { class: 'BrowserCreateError', statusCode: 400 },
      ),
    ],
  },
  {
    name: 'sessions that are not yours do not exist',
    on: 'service',
    steps: [
      configure,
      ...(['$unknownSession', '$strangersSession'] as const).flatMap((id): CallStep[] => [
        { call: 'status', options: { id }, expect: notFound },
        { call: 'close', options: { sessionId: id }, expect: notFound },
        { call: 'reconnectUrl', options: { sessionId: id }, expect: notFound },
      ]),
    ],
  },
  {
    name: 'a key that is none is an AuthError everywhere',
    on: 'service',
    steps: [
      {
        call: 'configure',
        options: { endpoint: '$endpoint', apiKey: '$unknownKey', retries: 0 },
        expect: { ok: null },
      },
      ...refused({ proxy: '$proxy' }, { class: 'AuthError', statusCode: 401 }),
      ...(
        [
          ['status', { id: '$unknownSession' }],
          ['close', { sessionId: '$unknownSession' }],
          ['reconnectUrl', { sessionId: '$unknownSession' }],
          ['listBrowsers', {}],
          ['listSessions', {}],
          ['getLimits', {}],
          ['getMe', {}],
          ['getUsage', {}],
        ] as const
      ).map(
        ([call, options]): CallStep => ({
          call,
          options,
          expect: { error: { class: 'AuthError', statusCode: 401 } },
        }),
      ),
    ],
  },
  {
    name: 'a gateway that is not there is a ConnectionFailedError',
    on: 'service',
    steps: [
      {
        call: 'configure',
        options: { endpoint: '$nobody', apiKey: '$apiKey', retries: 0 },
        expect: { ok: null },
      },
      ...refused({ proxy: '$proxy' }, { class: 'ConnectionFailedError' }),
      { call: 'getLimits', expect: { error: { class: 'ConnectionFailedError' } } },
    ],
  },
  {
    name: 'the concurrent limit and the create rate are told apart by their code',
    on: 'service',
    limits: { concurrent: 0, createsPerMinute: 2 },
    steps: [
      configure,
      ...refused(
        { proxy: '$proxy' },
        {
          class: 'ConcurrencyLimitError',
          statusCode: 429,
          code: 'CONCURRENCY_LIMIT',
          limit: 0,
          active: 0,
          retryAfter: 5,
        },
      ),
      ...refused(
        { proxy: '$proxy' },
        { class: 'RateLimitError', statusCode: 429, code: 'RATE_LIMIT', retryAfter: 60 },
      ),
    ],
  },
  {
    name: 'used-up hours are a UsageCapError',
    on: 'service',
    limits: { browserHours: 0 },
    steps: [
      configure,
      ...refused({ proxy: '$proxy' }, { class: 'UsageCapError', statusCode: 402, code: 'USAGE_CAP_REACHED' }),
    ],
  },
  {
    name: 'statistics are read by product, and refused with the reason',
    on: 'service',
    steps: [
      configure,
      {
        call: 'summary',
        options: { token: '$statsToken', product: 'residential' },
        expect: {
          ok: { product: 'residential', unit: 'Gb', window_days: 30, total_value: 0, today_value: 0 },
        },
      },
      {
        call: 'bandwidth',
        options: {
          token: '$statsToken',
          product: 'rotating-dc',
          from: '2026-02-27',
          to: '2026-03-01',
          unit: 'Mb',
        },
        expect: {
          ok: {
            unit: 'Mb',
            series: [
              { traffic_date: '2026-02-27', total_value: 0 },
              { traffic_date: '2026-02-28', total_value: 0 },
              { traffic_date: '2026-03-01', total_value: 0 },
            ],
          },
        },
      },
      {
        call: 'bandwidthCsv',
        options: { token: '$statsToken', product: 'rotating-isp', from: '2026-02-28', to: '2026-03-01' },
        expect: { ok: 'traffic_date,total_value\n2026-02-28,0\n2026-03-01,0\n' },
      },
      {
        call: 'countries',
        options: { token: '$statsToken', product: 'residential', from: '2026-02-28', to: '2026-03-01' },
        expect: { ok: { product: 'residential', unit: 'Gb', countries: [] } },
      },
      ...(
        [
          [
            'bandwidth',
            { product: 'residential', from: '2025-01-01', to: '2026-03-01' },
            'TurnpikeError',
            400,
          ],
          ['bandwidthCsv', { product: 'residential', from: '2026-13-01' }, 'TurnpikeError', 400],
          ['summary', { product: 'no-such-product' }, 'TurnpikeError', 404],
          ['countries', { product: 'web-unblocker', from: '2026-02-28' }, 'TurnpikeError', 404],
          ['summary', { product: 'residential', token: '$unknownToken' }, 'AuthError', 401],
        ] as const
      ).map(
        ([call, options, name, statusCode]): CallStep => ({
          call,
          options: { token: '$statsToken', ...options },
          expect: { error: { class: name, statusCode } },
        }),
      ),
    ],
  },
  {
    name: 'what goes wrong behind the gateway is told with its status, and passes',
    on: 'gateway',
    steps: [
      configure,
      { harness: 'failOpens' },
      ...refused({ proxy: '$proxy' }, { class: 'BrowserCreateError', statusCode: 502 }),
      { harness: 'mend' },
      {
        call: 'connectUrl',
        options: { proxy: '$proxy', vnc: true },
        expect: { ok: { cdpUrl, sessionId, vncUrl: { $match: '^https://.+/vnc/' } } },
        save: 'session',
      },
      { harness: 'refuseCloses' },
      {
        call: 'close',
        options: { sessionId: '$session.sessionId' },
        expect: { error: { class: 'TurnpikeError', statusCode: 502 } },
      },
      { harness: 'mend' },
      { harness: 'loseBrowser', sessionId: '$session.sessionId' },
      {
        call: 'reconnectUrl',
        options: { sessionId: '$session.sessionId' },
        expect: { error: { class: 'SessionEndedError', statusCode: 410, finalStatus: 'DEAD' } },
      },
      {
        call: 'close',
        options: { sessionId: '$session.sessionId' },
        expect: { ok: { browserId: '$session.sessionId', status: 'DEAD' } },
      },
      { harness: 'loseStore' },
      ...refused({ proxy: '$proxy' }, { class: 'BrowserCreateError', statusCode: 503 }),
      { call: 'getLimits', expect: { error: { class: 'TurnpikeError', statusCode: 503 } } },
      { harness: 'mend' },
    ],
  },
];
