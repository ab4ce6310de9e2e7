import { unlimitedCount } from '@turnpike/contract/account';
import { playwrightAdvice, playwrightMinor } from '@turnpike/contract/protocols';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, badRequest } from '../http/api-error.ts';
import { noteSession } from '../sessions/caller-session.ts';
import { cdpUrl, protocolUrl, proxyLabel, vncUrl } from '../sessions/present-session.ts';
import type { OpenedSession } from './reconnect-session.ts';

/** Sets the headers of an answer with a session. */
export function showOpened(request: FastifyRequest, reply: FastifyReply, opened: OpenedSession): void {
  noteSession(request, opened.session);
  reply.header('x-session-id', opened.session.id);
  reply.header('x-ratelimit-limit', String(opened.limit ?? unlimitedCount));
  reply.header('x-ratelimit-remaining', String(opened.remaining ?? unlimitedCount));
  const proxy = proxyLabel(opened.session);
  if (proxy) reply.header('x-proxy', proxy);
  const viewer = vncUrl(opened.session);
  if (viewer) reply.header('x-vnc-url', viewer);
}

export function isWebSocketUpgrade({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** Sends a WebSocket client to its browser: the gateway stays out of the data path. */
export const redirectToBrowser = (reply: FastifyReply, { session }: OpenedSession): FastifyReply =>
  reply.redirect(cdpUrl(session), 307);

/** Sends Playwright's `connect` to its browser. Undefined if the session's host does not speak its protocol. */
export function redirectToPlaywright(
  reply: FastifyReply,
  { session }: OpenedSession,
): FastifyReply | undefined {
  const url = protocolUrl(session, 'playwright');
  return url === undefined ? undefined : reply.redirect(url, 307);
}

/** Refuses Playwright's `connect`, or its test runner with `connectOptions`, where CDP is spoken. */
export function checkSpeaksCdp(request: FastifyRequest): void {
  if (isPlaywrightConnect(request)) throw badRequest(useConnectOverCdp);
}

/** Refuses what is not a Playwright of a version that is served. */
export function checkSpeaksPlaywright(request: FastifyRequest): void {
  if (!isWebSocketUpgrade(request)) throw badRequest(useConnect);
  const userAgent = request.headers['user-agent'];
  if (!playwrightMinor(userAgent))
    throw new ApiError('playwrightVersion', { message: playwrightAdvice(userAgent) });
}

/**
 * Whether Playwright's `connect` asks, or its test runner with `connectOptions`. Both speak a protocol of their own and
 * name what they want in headers, which `connectOverCDP` does not send.
 */
function isPlaywrightConnect({ headers }: FastifyRequest): boolean {
  return headers['x-playwright-browser'] !== undefined || headers['x-playwright-proxy'] !== undefined;
}

const useConnect =
  "This URL is for Playwright's chromium.connect(), which opens a WebSocket. No browser was opened.";

const useConnectOverCdp =
  "This URL speaks the Chrome DevTools Protocol. Use Playwright's chromium.connectOverCDP(), or connect() and the " +
  'connectOptions of its test runner with /playwright in place of /connect. No browser was opened.';
