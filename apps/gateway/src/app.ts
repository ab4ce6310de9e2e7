import { randomBytes } from 'node:crypto';
import { windowStart } from '@turnpike/contract/calendar';
import fastify, { type FastifyInstance } from 'fastify';
import { accountRoutes } from './accounts/account-routes.ts';
import { findAccountByKeyHash, usageDays } from './accounts/account-store.ts';
import { statsRoutes } from './bandwidth/stats-routes.ts';
import type { StatusReads } from './browserless/browserless-context.ts';
import { browserlessConnectRoutes } from './browserless/connect-routes.ts';
import { browserlessPageRoutes } from './browserless/page-call-routes.ts';
import { browserlessScriptRoutes } from './browserless/script-routes.ts';
import { browserlessUrl } from './browserless/shared-paths.ts';
import { browserlessStatusRoutes } from './browserless/status-routes.ts';
import { crawlRoutes } from './crawl/crawl-routes.ts';
import { createRoutes } from './creates/create-routes.ts';
import { accountPageRoutes } from './dashboard/account-page-routes.ts';
import { clientPageRoutes } from './dashboard/client-page-routes.ts';
import { filePageRoutes } from './dashboard/file-page-routes.ts';
import { pageRoutes } from './dashboard/page-routes.ts';
import { peopleRoutes } from './dashboard/people-routes.ts';
import { eventListRoutes } from './events/event-list-routes.ts';
import { eventRoutes } from './events/event-routes.ts';
import type { EventStreams } from './events/event-stream.ts';
import { extensionRoutes } from './extensions/extension-routes.ts';
import { fileRoutes } from './files/file-routes.ts';
import type { Gateway } from './gateway.ts';
import { listHostRows } from './hosts/host-store.ts';
import { preventCaching } from './http/answers/caching.ts';
import { holdReadSlots } from './http/answers/read-slots.ts';
import { serializerFor } from './http/answers/serializers.ts';
import { cutOffStalledReaders } from './http/answers/stalled-readers.ts';
import { ApiError } from './http/api-error.ts';
import { authenticate } from './http/authentication.ts';
import { allowHalfOpen } from './http/client-disconnect.ts';
import { answerClientError } from './http/client-errors.ts';
import { mapErrors, sendError } from './http/error-mapper.ts';
import { healthRoutes } from './http/health-routes.ts';
import { readBodies } from './http/json-body.ts';
import { openApiRoutes } from './http/openapi/openapi-routes.ts';
import { otherMethods } from './http/other-methods.ts';
import { readableUrl } from './http/readable-url.ts';
import { logRequests } from './http/request-log.ts';
import { traceRequests } from './http/request-trace.ts';
import { ownRequests } from './http/request-work.ts';
import { countSlots } from './limits/slot-store.ts';
import { modelRoutes } from './models/model-routes.ts';
import { operatorAccountRoutes } from './operator/operator-account-routes.ts';
import { operatorPages, tokenAuth } from './operator/operator-auth.ts';
import { operatorPageRoutes } from './operator/operator-page-routes.ts';
import { operatorRoutes } from './operator/operator-routes.ts';
import { operatorServiceRoutes } from './operator/operator-service-routes.ts';
import { pageRoutes as pageCallRoutes } from './page/page-routes.ts';
import { changeRoutes } from './proxies/change-routes.ts';
import { proxyRoutes } from './proxies/proxy-routes.ts';
import { recordingRoutes } from './recordings/recording-routes.ts';
import { sharedRecordingRoutes } from './recordings/shared-recording-routes.ts';
import { referenceRoutes } from './reference/reference-routes.ts';
import { savedProfileRoutes } from './saved-profiles/saved-profile-routes.ts';
import { historyRoutes } from './sessions/history-routes.ts';
import { wakeRoutes } from './sessions/standby/wake-routes.ts';
import { statusRoutes } from './sessions/status-routes.ts';
import { snapshotRoutes } from './snapshots/snapshot-routes.ts';
import { proxyUsageRoutes } from './traffic/proxy-usage-routes.ts';
import { receiptRoutes } from './traffic/receipt-routes.ts';
import { trafficRoutes } from './traffic/traffic-routes.ts';
import { cookieAuth } from './users/cookie-auth.ts';
import { webdriverRoutes } from './webdriver/webdriver-routes.ts';

/** How long a client may take to send its request, unless it uploads a file. */
const maxRequestMs = 30_000;
const maxUploadMs = 3_600_000;

/** How many days of an account's use its status counts. */
const statusDays = 30;

/** Metadata of 16 KiB may be in a query, where percent-encoding triples it. */
const maxHeaderBytes = 64 * 1024;

export interface WebOptions {
  /** The dashboard's built pages. */
  dashboardDirectory?: string | undefined;
  /** Addresses of reverse proxies whose `X-Forwarded-For` is trusted. */
  trustProxy?: string | false;
  /** How long a client may leave its answer unread. */
  readStallMs?: number;
}

/** Builds the gateway's HTTP server, which does not listen yet. */
export function buildApp(
  gateway: Gateway,
  streams: EventStreams,
  { dashboardDirectory, trustProxy = false, readStallMs = 30_000 }: WebOptions = {},
): FastifyInstance {
  const app = fastify({
    // Requests are logged by `logRequests`; Fastify's logger per request would cost more.
    logger: false,
    genReqId: requestIds(),
    requestTimeout: maxUploadMs,
    trustProxy,
    http: { maxHeaderSize: maxHeaderBytes, headersTimeout: maxRequestMs },
    // Requests on a connection that is still open are answered while closing; the connection then closes, see below.
    return503OnClosing: false,
    forceCloseConnections: false,
    // Any path reaches its route, so that authentication comes first, and then the route's own answer for an unknown
    // id.
    rewriteUrl: (request) => readableUrl({ url: browserlessUrl(request) }),
    routerOptions: { maxParamLength: maxHeaderBytes },
    clientErrorHandler: answerClientError,
    frameworkErrors: (_error, request, reply) => sendError(request, reply, new ApiError('notFound')),
  });
  // Checked when the answer is sent: the gateway may have been told to stop since the request came.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (gateway.isDraining) reply.header('connection', 'close');
    done(null, payload);
  });
  preventCaching(app);
  app.setSerializerCompiler(serializerFor);
  allowHalfOpen(app.server);
  const refuseOtherMethods = otherMethods(app);
  ownRequests(app);
  logRequests(app, gateway.logger, gateway.metrics);
  traceRequests(app, gateway.tracer);
  mapErrors(app, gateway.logger);
  holdReadSlots(app, gateway.reads);
  cutOffStalledReaders(app.server, readStallMs);
  readBodies(app, maxRequestMs);
  const findAccount = (keyHash: string) => findAccountByKeyHash(gateway.db, keyHash);
  authenticate(app, findAccount, cookieAuth(gateway));

  openApiRoutes(app);
  referenceRoutes(app);
  healthRoutes(app, gateway);
  createRoutes(app, gateway);
  webdriverRoutes(app, gateway, findAccount);
  crawlRoutes(app, gateway);
  pageCallRoutes(app, gateway);
  modelRoutes(app, gateway);
  proxyRoutes(app, gateway);
  changeRoutes(app, gateway);
  browserlessConnectRoutes(app, gateway);
  browserlessPageRoutes(app, gateway);
  browserlessScriptRoutes(app, gateway);
  browserlessStatusRoutes(app, gateway, statusReads(gateway));
  statusRoutes(app, gateway);
  wakeRoutes(app, gateway);
  fileRoutes(app, gateway);
  historyRoutes(app, gateway);
  receiptRoutes(app, gateway);
  trafficRoutes(app, gateway);
  proxyUsageRoutes(app, gateway);
  savedProfileRoutes(app, gateway);
  snapshotRoutes(app, gateway);
  extensionRoutes(app, gateway);
  recordingRoutes(app, gateway);
  sharedRecordingRoutes(app, gateway);
  accountRoutes(app, gateway);
  statsRoutes(app, gateway);
  eventRoutes(app, gateway, streams);
  eventListRoutes(app, gateway);
  peopleRoutes(app, gateway);
  accountPageRoutes(app, gateway);
  filePageRoutes(app, gateway);
  clientPageRoutes(app, gateway);
  pageRoutes(app, gateway, dashboardDirectory);
  const machines = tokenAuth(gateway);
  operatorRoutes(app, gateway, machines);
  for (const auth of [machines, operatorPages]) {
    operatorAccountRoutes(app, gateway, auth);
    operatorServiceRoutes(app, gateway, auth);
  }
  operatorPageRoutes(app, gateway);
  refuseOtherMethods();
  return app;
}

/** What Browserless's status is read from. */
function statusReads({ db, now }: Gateway): StatusReads {
  return {
    slots: ({ id }) => countSlots(db, id),
    chromiumVersion: async () => (await listHostRows(db))[0]?.chromium_version || null,
    usage: ({ id }) => usageDays(db, id, windowStart(now(), statusDays)),
  };
}

/** Generates request ids: unique in this process, and by their first part among processes. */
function requestIds(): () => string {
  const process = randomBytes(5).toString('hex');
  let count = 0;
  return () => `${process}-${(count++).toString(36)}`;
}
