import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { HostMetrics } from '../metrics/host-metrics.ts';
import { type ViewerPagesOptions, viewerTarget } from './viewer-pages.ts';

export interface ViewerSocketsOptions extends ViewerPagesOptions {
  /** Origins whose pages may open the host's WebSockets, besides its own. */
  allowedOrigins: readonly string[];
  metrics: Pick<HostMetrics, 'socket'>;
}

/** Pings WebSockets. */
interface KeepAlive {
  watch(webSocket: WebSocket, connection: { readonly bytesRead: number }): void;
}

/** Far more than a viewer sends at once; pasted text is the largest. */
const maxMessageBytes = 2 ** 20;

/** Accepts the live view's WebSockets. */
export class ViewerSockets {
  readonly #options: ViewerSocketsOptions;
  readonly #webSockets: WebSocketServer;

  constructor(options: ViewerSocketsOptions, keepAlive: KeepAlive) {
    this.#options = options;
    this.#webSockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: maxMessageBytes,
      handleProtocols: (offered) => (offered.has('binary') ? 'binary' : false),
    });
    this.#webSockets.on('connection', (webSocket, { socket }) => {
      keepAlive.watch(webSocket, socket);
      webSocket.once('close', options.metrics.socket('viewer'));
    });
  }

  /** Returns the status to refuse a request with; undefined if it was accepted. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): 403 | 404 | undefined {
    if (!this.#isAllowed(request.headers.origin)) return 403;
    const target = viewerTarget(request.url ?? '');
    const access = target?.socket ? this.#options.findViewer(target.token) : undefined;
    if (!target || !access) return 404;
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      access.viewer.connect(webSocket, { viewOnly: access.viewOnly || target.viewOnly });
      this.#webSockets.emit('connection', webSocket, request);
    });
    return undefined;
  }

  /** Programs send no origin. Pages must be the host's own, or of an origin that the operator allowed. */
  #isAllowed(origin: string | undefined): boolean {
    if (origin === undefined || this.#options.allowedOrigins.includes(origin)) return true;
    return URL.parse(this.#options.publicUrl().replace(/^ws/, 'http'))?.origin === origin;
  }
}
