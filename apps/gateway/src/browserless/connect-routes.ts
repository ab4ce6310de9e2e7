import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  checkSpeaksCdp,
  checkSpeaksPlaywright,
  isWebSocketUpgrade,
  redirectToBrowser,
  redirectToPlaywright,
  showOpened,
} from '../creates/answer-connect.ts';
import { openForRequest } from '../creates/open-for-request.ts';
import type { RawParams } from '../creates/parameters/create-params.ts';
import type { OpenedSession } from '../creates/reconnect-session.ts';
import { showWarnings } from '../http/answers/show-warnings.ts';
import { ApiError, badRequest } from '../http/api-error.ts';
import { disconnectSignal } from '../http/client-disconnect.ts';
import type { Routes } from '../http/routes.ts';
import type { PageContext } from '../page/page-context.ts';
import { closeSession } from '../sessions/close-session.ts';
import { tokenAccess, withSlash } from './browserless-context.ts';
import { readLaunch } from './launch-options.ts';
import { parseLaunch } from './parse-launch.ts';

/** The root is here too, see `rootUpgrade`. */
const cdpPaths = ['/chromium', '/chrome'];
const playwrightPaths = [
  '/chromium/playwright',
  '/chrome/playwright',
  '/playwright/chromium',
  '/playwright/chrome',
];

/** A browser is gone soon after its last client, and also if no client ever comes. */
const closeAfterSeconds = 1;
const idleSeconds = 600;

/** WebSockets at Browserless's addresses, each of which opens a browser of its own. */
export function browserlessConnectRoutes(app: Routes, context: PageContext): void {
  // A HEAD would open a browser.
  const options = { exposeHeadRoute: false, config: { ...tokenAccess, traced: true } } as const;

  for (const path of cdpPaths.flatMap(withSlash)) {
    app.get(path, options, async (request, reply) => {
      checkSpeaksCdp(request);
      if (!isWebSocketUpgrade(request)) throw badRequest(useWebSocket);
      return redirectToBrowser(reply, await open(request, reply));
    });
  }

  for (const path of playwrightPaths.flatMap(withSlash)) {
    app.get(path, options, async (request, reply) => {
      checkSpeaksPlaywright(request);
      const opened = await open(request, reply);
      const redirected = redirectToPlaywright(reply, opened);
      if (redirected) return redirected;
      await closeSession(context, opened.session);
      throw new ApiError('protocolNotOffered');
    });
  }

  async function open(request: FastifyRequest, reply: FastifyReply): Promise<OpenedSession> {
    const warnings: string[] = [];
    const parsed = parseLaunch(context, request, () => {
      const launch = readLaunch(request.query as RawParams);
      warnings.push(...launch.warnings);
      const { timeoutMs } = launch;
      return {
        headless: true,
        close_on_disconnect: closeAfterSeconds,
        idle_timeout: idleSeconds,
        ...(timeoutMs !== undefined && { maxLifetime: Math.ceil(timeoutMs / 1000) }),
        ...launch.create,
      };
    });
    const opened = await openForRequest(context, request, disconnectSignal(reply), parsed);
    showOpened(request, reply, opened);
    showWarnings(reply, warnings);
    return opened;
  }
}

const useWebSocket =
  'This URL is a WebSocket for Puppeteer or for connectOverCDP of Playwright. No browser was opened.';
