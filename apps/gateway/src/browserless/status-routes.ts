import { unlimitedCount } from '@turnpike/contract/account';
import { playwrightMinors } from '@turnpike/contract/protocols';
import { serviceVersion } from '@turnpike/process/observation/service-version';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Routes } from '../http/routes.ts';
import { concurrencyRecord } from '../limits/slots.ts';
import type { PageContext } from '../page/page-context.ts';
import { cdpUrl } from '../sessions/present-session.ts';
import { listActiveSessions } from '../sessions/session-store.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { AccountRow, SessionRow } from '../store/tables.ts';
import { type StatusReads, tokenAccess, withSlash } from './browserless-context.ts';
import { sessionsPath } from './shared-paths.ts';

/** Browserless's own measure of use. */
const unitSeconds = 30;

/**
 * What Browserless tells about itself, of the caller's account: nobody sees how busy others are. A member that has no
 * meaning here is null or absent.
 */
export function browserlessStatusRoutes(app: Routes, context: PageContext, reads: StatusReads): void {
  type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  const answers: Record<string, Answer> = {
    '/active': async (_request, reply) => reply.code(204).send(),

    '/json/version': async (request) => {
      const version = await reads.chromiumVersion();
      return {
        Browser: version === null ? 'Chrome' : `Chrome/${version}`,
        'Protocol-Version': '1.3',
        webSocketDebuggerUrl: webSocketUrl(request),
      };
    },

    '/json/list': async ({ account }) => (await listActiveSessions(context.db, account.id)).map(asTarget),

    '/pressure': async ({ account, headers }, reply) => {
      const { limit, active, remaining } = await slotsOf(account);
      const isAvailable = remaining > 0;
      const message = isAvailable ? '' : 'The account has as many sessions as it may have.';
      if (headers.accept === 'text/plain')
        return reply
          .code(isAvailable ? 200 : 503)
          .type('text/plain; charset=utf-8')
          .send(message);
      return {
        pressure: {
          date: context.now(),
          isAvailable,
          message,
          reason: isAvailable ? '' : 'full',
          running: active,
          maxConcurrent: limit,
          queued: 0,
          maxQueued: 0,
          recentlyRejected: 0,
          cpu: null,
          memory: null,
        },
      };
    },

    '/config': async ({ account }) => ({
      allowCORS: false,
      allowFileProtocol: false,
      allowGetCalls: false,
      concurrent: account.concurrent_limit ?? unlimitedCount,
      queued: 0,
      token: null,
    }),

    '/meta': async () => ({
      version: serviceVersion,
      chromium: await reads.chromiumVersion(),
      firefox: null,
      webkit: null,
      playwright: playwrightMinors,
      puppeteer: [],
    }),

    '/metrics': async ({ account }) =>
      (await reads.usage(account)).map(({ date, ...used }) => ({
        date: Date.parse(date),
        ...counts([used]),
      })),

    '/metrics/total': async ({ account }) => counts(await reads.usage(account)),

    [sessionsPath]: async (request) => {
      const { trackingId } = request.query as Record<string, unknown>;
      const sessions = (await listActiveSessions(context.db, request.account.id)).map(asSession);
      return trackingId === undefined ? sessions : sessions.filter((each) => each.trackingId === trackingId);
    },
  };

  for (const [path, answer] of Object.entries(answers))
    for (const each of withSlash(path)) app.get(each, { config: tokenAccess }, answer);

  async function slotsOf(account: AccountRow) {
    return concurrencyRecord(account, await reads.slots(account));
  }

  /** The token is in it if it was in the query: clients connect to this URL and add nothing. */
  function webSocketUrl(request: FastifyRequest): string {
    const scheme = request.protocol === 'https' ? 'wss' : 'ws';
    const query = new URLSearchParams(request.originalUrl.split('?').slice(1).join('?'));
    return `${scheme}://${request.host}/chromium${query.size > 0 ? `?${query}` : ''}`;
  }

  function asSession(session: SessionRow) {
    const { trackingId } = readStoredJson(session.metadata) as { trackingId?: unknown };
    const { savedProfile = null } = readStoredJson(session.params) as { savedProfile?: unknown };
    return {
      id: session.id,
      browserId: session.id,
      browser: 'ChromiumCDP',
      type: 'browser',
      running: true,
      browserWSEndpoint: cdpUrl(session),
      killURL: null,
      userDataDir: savedProfile,
      trackingId,
      startedOn: session.created_at,
      timeAliveMs: context.now() - session.created_at,
    };
  }
}

const asTarget = (session: SessionRow) => ({
  id: session.id,
  type: 'browser',
  title: '',
  description: '',
  url: '',
  webSocketDebuggerUrl: cdpUrl(session),
});

function counts(used: readonly { sessions: number; browserSeconds: number }[]) {
  const successful = used.reduce((sum, { sessions }) => sum + sessions, 0);
  const seconds = used.reduce((sum, { browserSeconds }) => sum + browserSeconds, 0);
  return {
    successful,
    totalTime: seconds * 1000,
    meanTime: successful === 0 ? 0 : Math.round((seconds * 1000) / successful),
    units: Math.ceil(seconds / unitSeconds),
  };
}
