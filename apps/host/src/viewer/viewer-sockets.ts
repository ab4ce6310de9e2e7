import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { HostMetrics } from '../host-metrics.ts';
import type { KeepAlive } from '../relay/keep-alive.ts';
import { type ViewerPagesOptions, viewerTarget } from './viewer-pages.ts';

export interface ViewerSocketsOptions extends ViewerPagesOptions {
  /** Origins whose pages may open the host's WebSockets, besides its own. */
  allowedOrigins: readonly string[];
  metrics: Pick<HostMetrics, 'socket'>;
}

/** Far above what a viewer sends at once: the largest is what it pastes. */
const maxMessageBytes = 2 ** 20;

/** The live view's WebSockets. */
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

  /** Answers the status to refuse it with, or undefined: then the request is taken care of. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): 403 | 404 | undefined {
    if (!this.#isWelcome(request.headers.origin)) return 403;
    const target = viewerTarget(request.url ?? '');
    const access = target?.socket ? this.#options.findViewer(target.token) : undefined;
    if (!target || !access) return 404;
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      access.viewer.connect(webSocket, { viewOnly: access.viewOnly || target.viewOnly });
      this.#webSockets.emit('connection', webSocket, request);
    });
    return undefined;
  }

  /** Programs have no origin; pages are the host's own, or of an origin that the operator named. */
  #isWelcome(origin: string | undefined): boolean {
    if (origin === undefined || this.#options.allowedOrigins.includes(origin)) return true;
    return URL.parse(this.#options.publicUrl().replace(/^ws/, 'http'))?.origin === origin;
  }
}
