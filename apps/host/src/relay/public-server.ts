import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { ownedBy } from '@turnpike/process/work/work';
import { endSocket } from '@turnpike/tunnel/sockets/end-socket';
import type { Logger } from 'pino';
import { WebSocketServer } from 'ws';
import { BrowserTimeout } from '../chromium/controller.ts';
import { answerFiles, fileTarget } from '../files/answer-files.ts';
import type { SessionFiles } from '../files/session-files.ts';
import type { HostMetrics } from '../metrics/host-metrics.ts';
import { type ViewerPagesOptions, viewerPage } from '../viewer/viewer-pages.ts';
import { ViewerSockets } from '../viewer/viewer-sockets.ts';
import { answerDiscovery, type DiscoveryAnswer, type DiscoverySession } from './discovery.ts';
import { KeepAlive } from './keep-alive.ts';
import { LenientKeys } from './lenient-key.ts';
import { type Relay, TooManyClients } from './relay.ts';

export interface PublicSession extends DiscoverySession {
  readonly relay: Relay;
  readonly files: SessionFiles;
}

export interface PublicServerOptions extends ViewerPagesOptions {
  tls: { cert: Buffer; key: Buffer } | undefined;
  allowedOrigins: readonly string[];
  /** Returns undefined for an id that is no session's, or no longer. */
  find(cdpId: string): PublicSession | undefined;
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
 *     GET        /vnc/<token>                the live view's page; its files are at /vnc/assets/…
 *     WebSocket  /vnc/<token>/socket         the display, in RFB
 */
export function createPublicServer(options: PublicServerOptions): Server {
  const server = options.tls ? https.createServer({ ...limits, ...options.tls }) : http.createServer(limits);
  // It sees only control frames of what CDP clients send. The switchboard reads messages, and limits them.
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: 2 ** 10,
    skipUTF8Validation: true,
  });
  const keys = new LenientKeys(webSockets);
  const keepAlive = new KeepAlive();
  const viewers = new ViewerSockets(options, keepAlive);
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
      : upgrade(request, socket, head, options, { webSockets, keepAlive, keys });
    void upgraded.catch((error: Error) => {
      options.logger.error({ err: error }, 'upgrade failed');
      socket.destroy();
    });
  });
  return server;
}

type Answer = DiscoveryAnswer;

const textAnswer = (status: number, code: string, text: string): Answer => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: `${text}\n`,
  headers: { 'x-error-code': code },
});
const notFound = textAnswer(404, 'NOT_FOUND', 'Not Found');
const forbidden = textAnswer(403, 'ORIGIN_NOT_ALLOWED', 'Forbidden');
const failed = textAnswer(500, 'INTERNAL', 'Internal error');
const full: Answer = {
  ...textAnswer(503, 'BUFFERS_FULL', "The session's buffers are full. Try again later."),
  headers: { 'x-error-code': 'BUFFERS_FULL', 'retry-after': '5' },
};
const tooMany = textAnswer(
  503,
  'TOO_MANY_CONNECTIONS',
  'The session has as many connections as it may have. Close one first.',
);
const timedOut = textAnswer(
  504,
  'BROWSER_TIMEOUT',
  'The browser did not answer in time. Try again, or close the session.',
);
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

function send(response: ServerResponse, { status, body, type, headers }: Answer): void {
  const own = {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  };
  response.writeHead(status, { ...own, ...headers }).end(body);
}

const discoveryPath = /^\/cdp\/([^/?]+)\/json(?:\/(\w+)(?:\/([^/?]+))?)?\/?(?:\?(.*))?$/;

async function answer(request: IncomingMessage, options: PublicServerOptions): Promise<Answer> {
  if (isViewer(request)) return viewerPage(request, options);
  const { method = '', url = '' } = request;
  const [, cdpId, command = 'list', targetId = '', query = ''] = discoveryPath.exec(url) ?? [];
  const session = cdpId === undefined ? undefined : options.find(cdpId);
  if (!session) return notFound;
  if ((method === 'PUT' || targetId !== '') && !isAllowed(request, options)) return forbidden;
  const base = `${options.publicUrl()}/cdp/${cdpId}`;
  const { chromium } = options;
  try {
    const asked = { method, command, targetId, query, base, chromium };
    return (await ownedBy(session.browser.work, () => answerDiscovery(session, asked))) ?? notFound;
  } catch (error) {
    return unanswered(error);
  }
}

/** Returns the answer to a request that the browser did not answer. */
function unanswered(error: unknown): Answer {
  if (error instanceof BrowserTimeout) return timedOut;
  if (error instanceof TooManyClients) return tooMany;
  return notFound; // The browser went away in the meantime, or has no such target.
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
  { find, allowedOrigins, metrics }: PublicServerOptions,
  { webSockets, keepAlive, keys }: { webSockets: WebSocketServer; keepAlive: KeepAlive; keys: LenientKeys },
): Promise<void> {
  if (!isAllowed(request, { allowedOrigins })) return refuse(socket, forbidden);
  const [, cdpId, targetId] =
    /^\/cdp\/([^/?]+)(?:\/page\/([^/?]+))?\/?(?:\?.*)?$/.exec(request.url ?? '') ?? [];
  const session = cdpId === undefined ? undefined : find(cdpId);
  if (!session) return refuse(socket, notFound);
  const { relay, browser } = session;
  let rootCdpSessionId: string;
  try {
    rootCdpSessionId = await (targetId === undefined
      ? relay.attachToBrowser()
      : relay.attachToTarget(targetId));
  } catch (error) {
    return refuse(socket, unanswered(error));
  }
  // What the client has sent already may be as much as Node buffers, on each of very many connections.
  await browser.work.slice.next();
  if (!find(cdpId as string)) return refuse(socket, notFound);
  let connected = false;
  try {
    keys.accept(request);
    const stream = relay.takeConnection(rootCdpSessionId, socket, head);
    webSockets.handleUpgrade(request, stream, Buffer.alloc(0), (webSocket) => {
      connected = true;
      relay.connect(rootCdpSessionId, targetId, webSocket, stream);
      keepAlive.watch(webSocket, stream);
      webSocket.once('close', metrics.socket('cdp'));
    });
  } catch {
    socket.destroy(); // It is closed already.
  }
  if (!connected) void relay.detach(rootCdpSessionId); // The upgrade was not valid, or the client is gone.
}

/** Answers bytes that never became a request. */
function refuseBytes(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else refuse(socket, malformed[error.code ?? ''] ?? badRequest);
}

function refuse(socket: Duplex, { status, type, body, headers = {} }: Answer): void {
  endSocket(
    socket,
    [
      `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
      `Content-Type: ${type}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      'Connection: close',
      `\r\n${body}`,
    ].join('\r\n'),
  );
}
