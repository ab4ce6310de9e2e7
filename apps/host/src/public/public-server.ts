import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { ownedBy } from '@turnpike/process/work/work';
import type { Logger } from 'pino';
import { answerFiles, fileTarget } from '../files/answer-files.ts';
import type { SessionFiles } from '../files/session-files.ts';
import type { HostMetrics } from '../metrics/host-metrics.ts';
import { protocolTarget, type SessionProtocols } from '../protocols/session-protocols.ts';
import { type Answer, notFound, refuse, send, textAnswer, unanswered } from '../relay/answers.ts';
import type { CdpConnections, CdpSession } from '../relay/cdp-connections.ts';
import { answerDiscovery, type DiscoverySession, readDiscovery } from '../relay/discovery.ts';
import type { KeepAlive } from '../relay/keep-alive.ts';
import { type ViewerPagesOptions, viewerPage } from '../viewer/viewer-pages.ts';
import { ViewerSockets } from '../viewer/viewer-sockets.ts';

export interface PublicSession extends DiscoverySession, CdpSession {
  readonly protocols: SessionProtocols;
  readonly files: SessionFiles;
}

export interface PublicServerOptions extends ViewerPagesOptions {
  tls: { cert: Buffer; key: Buffer } | undefined;
  allowedOrigins: readonly string[];
  /** Returns undefined for an id that is no session's, or no longer. */
  find(cdpId: string): PublicSession | undefined;
  keepAlive: KeepAlive;
  cdpConnections: CdpConnections;
  metrics: Pick<HostMetrics, 'socket'>;
  /** The program that sessions run. */
  chromium: string;
  logger: Pick<Logger, 'error'>;
}

const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  // For a whole request, so also for the upload of a file.
  requestTimeout: 600_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 2000,
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
};

/** How much of one file the host may hold while it is uploaded or downloaded. */
const fileBytes = 2 ** 19;

/**
 * Creates the server for clients. Whoever knows a session's CDP id may drive it, and whoever knows its viewer token may
 * watch it:
 *
 *     WebSocket  /cdp/<id>                   the browser
 *     WebSocket  /cdp/<id>/page/<targetId>   one page of it
 *     GET        /cdp/<id>/json/version      where to connect, as Chromium says it
 *     GET        /cdp/<id>/json[/list]       its pages, as Chromium lists them
 *     GET        /cdp/<id>/json/protocol     what its DevTools understand
 *     PUT        /cdp/<id>/json/new?<url>    opens a page
 *     GET        /cdp/<id>/json/activate/<targetId>, /json/close/<targetId>
 *     GET        /cdp/<id>/files             its files; below that, GET, PUT and DELETE of one
 *     WebSocket  /bidi/<id>                  WebDriver BiDi
 *     WebSocket  /playwright/<id>            Playwright's own protocol
 *     …          /webdriver/<id>/session…    WebDriver
 *     GET        /vnc/<token>                the live view's page; its files are at /vnc/assets/…
 *     WebSocket  /vnc/<token>/socket         the display, in RFB
 */
export function createPublicServer(options: PublicServerOptions): Server {
  const settings = { ...limits, shouldUpgradeCallback: isWebSocket };
  const server = options.tls
    ? https.createServer({ ...settings, ...options.tls })
    : http.createServer(settings);
  const viewers = new ViewerSockets(options, options.keepAlive);
  server.on('request', (request, response) => {
    for (const stream of [request, response]) stream.on('error', () => {}); // A close follows.
    void respond(request, response, options).catch((error: Error) => {
      options.logger.error({ err: error }, 'request failed');
      if (response.headersSent) response.destroy();
      else send(response, failed);
    });
  });
  server.on('clientError', refuseBytes);
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {}); // A close follows.
    const upgraded = isViewer(request)
      ? upgradeViewer(request, socket, head, viewers)
      : upgrade(request, socket, head, options);
    void upgraded.catch((error: Error) => {
      options.logger.error({ err: error }, 'upgrade failed');
      socket.destroy();
    });
  });
  return server;
}

const forbidden = textAnswer(403, 'ORIGIN_NOT_ALLOWED', 'Forbidden');
const failed = textAnswer(500, 'INTERNAL', 'Internal error');
const full: Answer = {
  ...textAnswer(503, 'BUFFERS_FULL', "The session's buffers are full. Try again later."),
  headers: { 'x-error-code': 'BUFFERS_FULL', 'retry-after': '5' },
};
const badRequest = textAnswer(400, 'BAD_REQUEST', 'This is not a request. Send HTTP/1.1.');
const malformed: Record<string, Answer> = {
  HPE_HEADER_OVERFLOW: textAnswer(
    431,
    'HEADERS_TOO_LARGE',
    `The request headers are too large. Send at most ${limits.maxHeaderSize / 1024} KiB, the URL included.`,
  ),
  ERR_HTTP_REQUEST_TIMEOUT: textAnswer(
    408,
    'REQUEST_TIMEOUT',
    'The request did not arrive in time. Send it again.',
  ),
};

/** Java's HTTP client offers `h2c` with every request. RFC 9110, 7.8: an upgrade that is not known is ignored. */
function isWebSocket({ headers: { upgrade } }: IncomingMessage): boolean {
  return upgrade?.toLowerCase() === 'websocket';
}

function isViewer({ url }: IncomingMessage): boolean {
  return url?.startsWith('/vnc/') === true;
}

/** Refuses pages of other sites. */
function isAllowed(
  { headers: { origin } }: IncomingMessage,
  { allowedOrigins }: Pick<PublicServerOptions, 'allowedOrigins'>,
): boolean {
  return origin === undefined || allowedOrigins.includes(origin);
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  options: PublicServerOptions,
): Promise<void> {
  const protocol = protocolTarget(request.url ?? '');
  const served = protocol && options.find(protocol.secret);
  if (protocol && served) {
    if (!isAllowed(request, options)) send(response, forbidden);
    else await ownedBy(served.browser.work, () => served.protocols.respond(protocol, request, response));
    return;
  }
  const target = fileTarget(request.url ?? '');
  const session = target && options.find(target.cdpId);
  if (!target || !session || !isAllowed(request, options)) {
    send(response, await answer(request, options));
    return;
  }
  const reserved = session.browser.pipe.budget.reserve(fileBytes);
  if (!reserved) {
    send(response, full);
    return;
  }
  response.once('close', () => reserved[Symbol.dispose]());
  await ownedBy(session.browser.work, () => answerFiles(session.files, target.name, request, response));
}

async function answer(request: IncomingMessage, options: PublicServerOptions): Promise<Answer> {
  if (isViewer(request)) return viewerPage(request, options);
  const { method = '', url = '' } = request;
  const [start = '', cdpId = ''] = /^\/cdp\/([^/?]+)/.exec(url) ?? [];
  const read = readDiscovery(url.slice(start.length));
  const session = read && options.find(cdpId);
  if (!session) return notFound;
  if ((method === 'PUT' || read.targetId !== '') && !isAllowed(request, options)) return forbidden;
  const base = `${options.publicUrl()}/cdp/${cdpId}`;
  const { chromium } = options;
  try {
    const asked = { method, ...read, base, chromium };
    return (await ownedBy(session.browser.work, () => answerDiscovery(session, asked))) ?? notFound;
  } catch (error) {
    return unanswered(error);
  }
}

async function upgradeViewer(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  viewers: ViewerSockets,
): Promise<void> {
  const refusal = viewers.upgrade(request, socket, head);
  if (refusal !== undefined) refuse(socket, refusal === 403 ? forbidden : notFound);
}

async function upgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  { find, allowedOrigins, cdpConnections }: PublicServerOptions,
): Promise<void> {
  if (!isAllowed(request, { allowedOrigins })) return refuse(socket, forbidden);
  const url = request.url ?? '';
  const protocol = protocolTarget(url);
  if (protocol) {
    const session = find(protocol.secret);
    if (!session) return refuse(socket, notFound);
    return session.protocols.upgrade(protocol, request, socket, head);
  }
  const [, cdpId = '', targetId] = /^\/cdp\/([^/?]+)(?:\/page\/([^/?]+))?\/?(?:\?.*)?$/.exec(url) ?? [];
  const session = find(cdpId);
  if (!session) return refuse(socket, notFound);
  const isOpen = () => find(cdpId) !== undefined;
  await cdpConnections.upgrade(request, socket, head, { session, isOpen, targetId, connectedAs: 'client' });
}

/** Answers bytes that never became a request. */
function refuseBytes(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else refuse(socket, malformed[error.code ?? ''] ?? badRequest);
}
