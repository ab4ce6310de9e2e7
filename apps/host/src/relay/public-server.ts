import http, { type IncomingMessage, type Server } from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Browser, BrowserVersion } from '../chromium/browser.ts';
import { answerFiles, fileTarget } from '../files/answer-files.ts';
import type { SessionFiles } from '../files/session-files.ts';
import type { HostMetrics } from '../host-metrics.ts';
import { type ViewerPagesOptions, viewerPage } from '../viewer/viewer-pages.ts';
import { ViewerSockets } from '../viewer/viewer-sockets.ts';
import { listing, versionAnswer } from './discovery.ts';
import { KeepAlive } from './keep-alive.ts';
import type { Relay } from './relay.ts';

export interface PublicSession {
  readonly browser: Browser;
  readonly relay: Relay;
  readonly applied: { readonly version: BrowserVersion };
  readonly files: SessionFiles;
}

export interface PublicServerOptions extends ViewerPagesOptions {
  tls: { cert: Buffer; key: Buffer } | undefined;
  allowedOrigins: readonly string[];
  /** Undefined for an id that is not, or no longer, a session's. */
  find(cdpId: string): PublicSession | undefined;
  metrics: Pick<HostMetrics, 'socket'>;
}

const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  // For all of a request, and so for a file that is uploaded.
  requestTimeout: 600_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 2000,
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
};

/**
 * The side that clients see. Whoever knows a session's CDP id may drive it, and whoever knows its viewer token may
 * look at it:
 *
 *     WebSocket  /cdp/<id>                   the browser
 *     WebSocket  /cdp/<id>/page/<targetId>   one page of it
 *     GET        /cdp/<id>/json/version      where to connect, as Chromium says it
 *     GET        /cdp/<id>/json[/list]       its pages, as Chromium lists them
 *     GET        /cdp/<id>/files             its files; below that, GET, PUT and DELETE of one
 *     GET        /vnc/<token>                the live view's page; its files are at /vnc/assets/…
 *     WebSocket  /vnc/<token>/socket         the display, in RFB
 */
export function createPublicServer(options: PublicServerOptions): Server {
  const server = options.tls ? https.createServer({ ...limits, ...options.tls }) : http.createServer(limits);
  // No limit on a message, and no second look at the encoding of what both ends write and read as UTF-8.
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: 0,
    skipUTF8Validation: true,
  });
  const keepAlive = new KeepAlive();
  const viewers = new ViewerSockets(options, keepAlive);
  server.on('request', (request, response) => {
    const target = fileTarget(request.url ?? '');
    const files = target && options.find(target.cdpId)?.files;
    if (target && files && isAllowed(request, options)) {
      void answerFiles(files, target.name, request, response);
      return;
    }
    void answer(request, options).then(({ status, body, type, headers }) => {
      response
        .writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body), ...headers })
        .end(body);
    });
  });
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {}); // A close follows.
    if (!isViewer(request)) return void upgrade(request, socket, head, options, { webSockets, keepAlive });
    const refusal = viewers.upgrade(request, socket, head);
    if (refusal !== undefined) refuse(socket, refusal === 403 ? forbidden : notFound);
  });
  return server;
}

interface Answer {
  status: number;
  type: string;
  body: string | Buffer;
  headers?: Record<string, string>;
}

const notFound: Answer = { status: 404, type: 'text/plain; charset=utf-8', body: 'Not Found\n' };
const forbidden: Answer = { status: 403, type: 'text/plain; charset=utf-8', body: 'Forbidden\n' };

function isViewer({ url }: IncomingMessage): boolean {
  return url?.startsWith('/vnc/') === true;
}

/** Pages of other sites do not drive browsers. */
function isAllowed(
  { headers: { origin } }: IncomingMessage,
  { allowedOrigins }: Pick<PublicServerOptions, 'allowedOrigins'>,
): boolean {
  return origin === undefined || allowedOrigins.includes(origin);
}

async function answer(request: IncomingMessage, options: PublicServerOptions): Promise<Answer> {
  if (isViewer(request)) return viewerPage(request, options);
  const { method, url = '' } = request;
  const { find, publicUrl } = options;
  const [, cdpId, resource] = /^\/cdp\/([^/?]+)\/json(?:\/(version|list))?\/?(?:\?.*)?$/.exec(url) ?? [];
  const session = cdpId === undefined ? undefined : find(cdpId);
  if (!session || (method !== 'GET' && method !== 'HEAD')) return notFound;
  const base = `${publicUrl()}/cdp/${cdpId}`;
  try {
    const content =
      resource === 'version'
        ? versionAnswer(session.applied.version, base)
        : await listing(session.browser, base);
    return {
      status: 200,
      type: 'application/json; charset=UTF-8',
      body: `${JSON.stringify(content, null, 3)}\n`,
    };
  } catch {
    return notFound; // The browser went away while it was asked.
  }
}

async function upgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  { find, allowedOrigins, metrics }: PublicServerOptions,
  { webSockets, keepAlive }: { webSockets: WebSocketServer; keepAlive: KeepAlive },
): Promise<void> {
  if (!isAllowed(request, { allowedOrigins })) return refuse(socket, forbidden);
  const [, cdpId, targetId] =
    /^\/cdp\/([^/?]+)(?:\/page\/([^/?]+))?\/?(?:\?.*)?$/.exec(request.url ?? '') ?? [];
  const relay = cdpId === undefined ? undefined : find(cdpId)?.relay;
  if (!relay) return refuse(socket, notFound);
  let root: string;
  try {
    root = await (targetId === undefined ? relay.attachToBrowser() : relay.attachToTarget(targetId));
  } catch {
    return refuse(socket, notFound);
  }
  if (!find(cdpId as string)) return refuse(socket, notFound);
  let connected = false;
  try {
    const wire = relay.wire(root, socket, head);
    webSockets.handleUpgrade(request, wire, Buffer.alloc(0), (webSocket) => {
      connected = true;
      relay.connect(root, targetId, webSocket, wire);
      keepAlive.watch(webSocket, wire);
      webSocket.once('close', metrics.socket('cdp'));
    });
  } catch {
    socket.destroy(); // It is closed already.
  }
  if (!connected) relay.detach(root); // Not a proper upgrade, or gone in the meantime.
}

function refuse(socket: Duplex, { status, type, body }: Answer): void {
  socket.end(
    [
      `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
      `Content-Type: ${type}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      `\r\n${body}`,
    ].join('\r\n'),
  );
}
