import { type Static, Type } from 'typebox';
import { AccountSettings, NewKey } from '../account.ts';
import { Crawl, CrawledPages, CrawlList, CrawlPagesQuery } from '../crawl.ts';
import { DeliveryList, NewWebhook, Replayed, WebhookList } from '../events.ts';
import { DeletedExtension, Extension, ExtensionList } from '../extension.ts';
import { PageResults } from '../page/page-results.ts';
import * as Proxies from '../proxies.ts';
import * as Recording from '../recording-answers.ts';
import {
  DeletedProfile,
  DeletedSnapshot,
  SavedCacheList,
  SavedProfileList,
  Snapshot,
  SnapshotList,
  SnapshotRequest,
} from '../saved-profile.ts';
import { CloseResult, CreatedSession } from '../session.ts';
import * as Account from './account-pages.ts';
import * as Clients from './client-pages.ts';
import { Done, PageQuery } from './common.ts';
import * as Operator from './operator-pages.ts';
import * as People from './people.ts';

/**
 * Every route that the pages call, as `METHOD /path`: those of the account's API at their own address, the others
 * below `/dashboard/api`. The gateway registers its handlers by this map and the pages call by it, so that either side
 * fails to compile when it disagrees. JSON both ways, with the cookie of whoever is signed in.
 *
 * - Every request that changes something is refused with 403 unless the browser says that it comes from the gateway's
 *   own pages. A POST needs `content-type: application/json` (`{}` where there is no body; an upload is
 *   `application/octet-stream`).
 * - 401 `Not signed in`: show the sign-in page. 403: signed in, but with another role, or suspended. 404 also for what
 *   belongs to somebody else.
 * - Errors are `Failure`. Lists are newest first, with `limit` (1 to 200, default 50), `cursor` and `nextCursor`.
 */
export interface RouteTypes {
  query?: Type.TSchema;
  body?: Type.TSchema;
  answer: Type.TSchema;
}
export type RouteMap = Readonly<Record<string, RouteTypes>>;

/** A download. The browser follows the link by itself, so no page reads the answer. */
const File = Type.Unsafe<never>({});

/** For anyone, but for `/me`, `/sign-out-everywhere` and `/password`, which need a cookie. */
export const peopleRoutes = {
  'GET /me': { answer: People.Person },
  // 401 for wrong credentials, 403 for a suspended account, 429 with `retry-after`.
  'POST /sign-in': { body: People.SignIn, answer: People.Person },
  'GET /sign-in/options': { answer: People.SignInOptions },
  // The same answer whether or not somebody has that address. 409 without an SMTP server, 429 with `retry-after`.
  'POST /password-reset': { body: People.PasswordResetRequest, answer: Done },
  // Only this browser's cookie stops working.
  'POST /sign-out': { answer: Done },
  'POST /sign-out-everywhere': { answer: Done },
  // Signs all other browsers out. 400 with `field: current`.
  'POST /password': { body: People.PasswordChange, answer: Done },
  // 410 for a link that has expired or was used.
  'POST /link/look': { body: People.LinkToken, answer: People.Link },
  // Sets the password and signs in; other browsers are signed out. 410 as above.
  'POST /link/use': { body: People.LinkUse, answer: People.Person },
} as const satisfies RouteMap;

/** Routes of the account's API that its pages call too: at the same address, with the cookie instead of a key. */
export const apiRoutes = {
  'POST /api/browser/create': { body: Account.NewSession, answer: CreatedSession },
  // 422 with a detail if none could be taken.
  'POST /api/browser/:id/snapshot': { body: SnapshotRequest, answer: Snapshot },
  'POST /api/browser/close': { body: Type.Object({ browserId: Type.String() }), answer: CloseResult },
  // A redirect to the host where the browser runs. 410 once the session has ended.
  'GET /api/browser/:id/files/:name': { answer: File },
  // 409 while the session runs.
  'GET /api/browser/:id/receipt': { answer: File },

  // 404: it was not recorded, or the recording has expired or was deleted. While it is made, ask every second with
  // the last chunk as `after`.
  'GET /api/browser/:id/recording': { query: Recording.RecordingQuery, answer: Recording.Recording },
  // Newline-delimited JSON: a `RecordedEvent` a line.
  'GET /api/browser/:id/recording/events': { query: Recording.RecordingEventsQuery, answer: File },
  // JPEG. 404 where it was deleted to make room.
  'GET /api/browser/:id/recording/pictures/:chunk/:picture': { answer: File },
  'GET /api/browser/:id/recording/export': { query: Recording.RecordingExportQuery, answer: File },
  'DELETE /api/browser/:id/recording': { answer: Recording.DeletedRecording },
  // The link reads this recording and nothing else.
  'POST /api/browser/:id/recording/share': { body: Recording.ShareRequest, answer: Recording.ShareLink },

  // 422 with a code that begins with PAGE_ for a page that does not load.
  'POST /api/page': {
    body: Type.Object({ formats: Type.Array(Type.String()) }, { additionalProperties: true }),
    answer: PageResults,
  },

  'GET /api/crawl': { query: Type.Object(PageQuery), answer: CrawlList },
  // 202: it goes on by itself.
  'POST /api/crawl': { body: Type.Object({}, { additionalProperties: true }), answer: Crawl },
  'GET /api/crawl/:id': { answer: Crawl },
  'GET /api/crawl/:id/pages': { query: CrawlPagesQuery, answer: CrawledPages },
  // Its results stay.
  'DELETE /api/crawl/:id': { answer: Crawl },

  // The old key stops working; the new one is shown once.
  'POST /user/api/regenerate-key': { answer: NewKey },

  'GET /user/api/settings': { answer: AccountSettings },
  'POST /user/api/settings': { body: AccountSettings, answer: AccountSettings },

  'GET /user/api/profiles': { answer: SavedProfileList },
  // 409 while a session that will save it runs.
  'DELETE /user/api/profiles/:name': { answer: DeletedProfile },
  // The same for HTTP caches.
  'GET /user/api/caches': { answer: SavedCacheList },
  'DELETE /user/api/caches/:name': { answer: DeletedProfile },

  'GET /user/api/snapshots': { answer: SnapshotList },
  'GET /user/api/snapshots/:id': { answer: Snapshot },
  'DELETE /user/api/snapshots/:id': { answer: DeletedSnapshot },

  'GET /user/api/extensions': { answer: ExtensionList },
  // The zip or crx file as `application/octet-stream`. One with the same id is replaced.
  'POST /user/api/extensions': { answer: Extension },
  'GET /user/api/extensions/:id': { answer: Extension },
  'DELETE /user/api/extensions/:id': { answer: DeletedExtension },

  'GET /user/api/proxies': { answer: Proxies.SavedProxyList },
  // 400 with `field`.
  'POST /user/api/proxies': { body: Proxies.NewSavedProxy, answer: Proxies.SavedProxy },
  'GET /user/api/proxies/:name': { answer: Proxies.SavedProxy },
  'PATCH /user/api/proxies/:name': { body: Proxies.SavedProxyChange, answer: Proxies.SavedProxy },
  // 409 while a session uses it, or a pool or the default names it.
  'DELETE /user/api/proxies/:name': { answer: Proxies.DeletedName },
  // A proxy that fails is an answer too.
  'POST /user/api/proxies/:name/check': { body: Proxies.ProxyCheckRequest, answer: Proxies.ProxyCheck },
  // Every day of the range, at most 90.
  'GET /user/api/proxies/:name/usage': { query: Proxies.ProxyUsageQuery, answer: Proxies.ProxyUsage },
  'GET /user/api/proxy-pools': { answer: Proxies.ProxyPoolList },
  'POST /user/api/proxy-pools': { body: Proxies.NewProxyPool, answer: Proxies.ProxyPool },
  'GET /user/api/proxy-pools/:name': { answer: Proxies.ProxyPool },
  'PATCH /user/api/proxy-pools/:name': { body: Proxies.ProxyPoolChange, answer: Proxies.ProxyPool },
  // 409 while it is the default.
  'DELETE /user/api/proxy-pools/:name': { answer: Proxies.DeletedName },
  'GET /user/api/proxy-pools/:name/usage': { query: Proxies.ProxyUsageQuery, answer: Proxies.ProxyUsage },
  'GET /user/api/default-proxy': { answer: Proxies.DefaultProxy },
  'PUT /user/api/default-proxy': { body: Proxies.DefaultProxy, answer: Proxies.DefaultProxy },

  'GET /user/api/webhooks': { answer: WebhookList },
  // The secret is shown once.
  'POST /user/api/webhooks': { body: Account.WebhookRequest, answer: NewWebhook },
  'DELETE /user/api/webhooks/:id': { answer: Type.Object({ id: Type.String() }) },
  // The latest hundred.
  'GET /user/api/webhooks/:id/deliveries': { answer: DeliveryList },
  'POST /user/api/webhooks/:id/replay': { body: Account.ReplayRequest, answer: Replayed },
} as const satisfies RouteMap;

/** For the pages of an account alone: what the API has in another form, or not at all. */
export const accountPageRoutes = {
  'GET /overview': { answer: Account.Overview },
  // Cheap: ask every 2 seconds.
  'GET /running': { answer: Account.Running },
  'GET /sessions': { query: Account.HistoryQuery, answer: Account.History },
  'GET /sessions/csv': { query: Account.HistoryQuery, answer: File },
  // Whatever its age.
  'GET /sessions/:id': { answer: Account.SessionDetail },

  // Live while it runs: from its host. The file is there as long as the API reads the session.
  'GET /sessions/:id/traffic': { answer: Account.SessionTrafficView },
  'GET /sessions/:id/traffic/csv': { answer: File },

  // Its clients, from its host. 410 once it has ended.
  'GET /sessions/:id/clients': { query: Clients.ClientsQuery, answer: Clients.ClientsView },
  // What they send waits. 409 while somebody else has paused them. Renew it every 10 seconds: it lapses after 30.
  'POST /sessions/:id/clients/pause': { body: Clients.PauseRequest, answer: Clients.ClientsView },
  'POST /sessions/:id/clients/renew': { body: Clients.PauseRequest, answer: Clients.ClientsView },
  'POST /sessions/:id/clients/resume': { body: Clients.PauseRequest, answer: Clients.ClientsView },

  // Files of a running session, from the machine where its browser runs. 410 once it has ended.
  'GET /sessions/:id/files': { answer: Account.SessionFiles },
  // The file as `application/octet-stream`. 413: no room.
  'POST /sessions/:id/files/:name': { answer: Account.FileName },
  'POST /sessions/:id/files/:name/remove': { answer: Account.FileName },

  'GET /usage': { query: Account.DayRangeQuery, answer: Account.UsageByDay },
  'GET /traffic': { query: Account.DayRangeQuery, answer: Account.TrafficByDay },
  'GET /traffic/csv': { query: Account.DayRangeQuery, answer: File },
  // Of every saved proxy that sessions used, over the last 30 days.
  'GET /proxies/sums': { answer: Account.ProxySums },
  'GET /alerts': { answer: Account.UsageAlertsView },
  'POST /alerts': { body: Account.UsageAlerts, answer: Account.UsageAlertsView },
  // The statistics API's numbers, without its limit of 60 requests a minute.
  'GET /bandwidth': { answer: Account.Bandwidth },
  'GET /bandwidth/:product': { query: Account.BandwidthQuery, answer: Account.BandwidthSeries },
  'GET /bandwidth/:product/csv': { query: Account.BandwidthQuery, answer: File },
  // Residential only.
  'GET /bandwidth/:product/countries': { query: Account.BandwidthQuery, answer: Account.BandwidthCountries },

  'GET /keys': { answer: Account.Keys },
  // Generates a token where there is none.
  'POST /keys/stats-token/reveal': { answer: Account.StatsToken },
  'POST /keys/stats-token/rotate': { answer: Account.StatsToken },
  // Generates a password where there is none.
  'POST /keys/proxy/reveal': { answer: Account.ProxyCredentials },
  'POST /keys/proxy/rotate': { answer: Account.ProxyCredentials },

  // The last 30 days. A page may be empty and still have a next one: a filter looks at so many events at a time.
  'GET /events': { query: Account.EventsQuery, answer: Account.EventPage },
  'GET /events/csv': { query: Account.EventsQuery, answer: File },
  // Sends `webhook.test` at once, and tells what came back. 409 while another test of it runs.
  'POST /webhooks/:id/test': { answer: Account.WebhookTest },
} as const satisfies RouteMap;

/** For whoever has the link to a shared recording. Its token comes in `x-recording-token`. 410 once it has expired. */
export const sharedRecordingRoutes = {
  'GET /shared-recording': { query: Recording.RecordingQuery, answer: Recording.Recording },
  'GET /shared-recording/events': { query: Recording.RecordingEventsQuery, answer: File },
  'GET /shared-recording/pictures/:chunk/:picture': { answer: File },
} as const satisfies RouteMap;

/**
 * For operators: below `/dashboard/api/operator` with the cookie, and below `/operator/api` with an operator token.
 */
export const operatorRoutes = {
  'GET /overview': { answer: Operator.OperatorOverview },

  'GET /accounts': { query: Operator.AccountsQuery, answer: Operator.AccountPage },
  // 400 with `field: email`.
  'POST /accounts': { body: Operator.NewAccount, answer: Operator.NewAccountSecrets },
  'GET /accounts/:id': { answer: Operator.OperatorAccount },
  'GET /accounts/:id/usage': { query: Account.DayRangeQuery, answer: Operator.AccountUsage },
  // Takes effect on the account's next request.
  'POST /accounts/:id/limits': { body: Operator.LimitChange, answer: Operator.OperatorAccount },
  'POST /accounts/:id/suspend': { answer: Operator.OperatorAccount },
  'POST /accounts/:id/reinstate': { answer: Operator.OperatorAccount },
  // Earlier links stop working. The invitation expires in 7 days, the reset in an hour.
  'POST /accounts/:id/invitation': { answer: People.CreatedLink },
  'POST /accounts/:id/reset': { answer: People.CreatedLink },
  'POST /accounts/:id/rotate-key': { answer: Account.NewApiKey },

  'GET /hosts': { answer: Operator.Hosts },
  // No new sessions; running ones continue.
  'POST /hosts/:name/drain': { answer: Done },
  'POST /hosts/:name/undrain': { answer: Done },
  // 400 unless it is lost, or drained and empty.
  'POST /hosts/:name/remove': { answer: Done },

  'GET /sessions': { query: Operator.OperatorSessionsQuery, answer: Operator.OperatorSessions },
  'GET /sessions/:id': { answer: Operator.OperatorSession },
  'POST /sessions/:id/close': { answer: Operator.OperatorSession },

  'GET /products': { answer: Operator.Products },
  'GET /ingestion': { query: Operator.IngestionQuery, answer: Operator.Ingestion },
  'GET /audit': { query: Operator.AuditQuery, answer: Operator.AuditPage },

  'GET /tokens': { answer: Operator.OperatorTokens },
  // Shown once.
  'POST /tokens': { body: Operator.NewOperatorToken, answer: Operator.CreatedOperatorToken },
  'POST /tokens/:id/revoke': { answer: Done },

  'GET /operators': { answer: Operator.Operators },
  // For an existing operator: a new link.
  'POST /operators': { body: Operator.NewOperator, answer: People.CreatedLink },
  // 400 for the last operator, and for the caller.
  'POST /operators/:id/remove': { answer: Done },
} as const satisfies RouteMap;

/** For operators, in the dashboard alone: below `/dashboard/api/operator`. */
export const operatorPageRoutes = {
  // By default the last 30 days.
  'GET /statistics': { query: Account.DayRangeQuery, answer: Operator.ServiceStatistics },
  'GET /accounts/csv': { query: Operator.AccountsQuery, answer: File },
  'GET /sessions/csv': { query: Operator.OperatorSessionsQuery, answer: File },
  'GET /sessions/:id/traffic': { answer: Account.SessionTrafficView },
  'GET /audit/csv': { query: Operator.AuditQuery, answer: File },
} as const satisfies RouteMap;

type Below<Prefix extends string, Map> = {
  [Key in keyof Map as Key extends `${infer Method} ${infer Path}`
    ? `${Method} ${Prefix}${Path}`
    : never]: Map[Key];
};

/** All routes as the pages call them. */
export type PageRoutes = typeof peopleRoutes &
  typeof sharedRecordingRoutes &
  typeof apiRoutes &
  typeof accountPageRoutes &
  Below<'/operator', typeof operatorRoutes & typeof operatorPageRoutes>;

/** `{ id: string }` for `GET /sessions/:id`. */
export type ParamsOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { [Key in Name]: string } & ParamsOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? { [Key in Name]: string }
    : unknown;

export type QueryOf<Route> = Route extends { query: infer Query extends Type.TSchema }
  ? Static<Query>
  : unknown;
export type BodyOf<Route> = Route extends { body: infer Body extends Type.TSchema }
  ? Static<Body>
  : undefined;
export type AnswerOf<Route> = Route extends { answer: infer Answer extends Type.TSchema }
  ? Static<Answer>
  : never;
