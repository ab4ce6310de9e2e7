import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Browser } from '../chromium/browser.ts';
import type { HostMetrics } from '../metrics/host-metrics.ts';
import { notFound, refuse, unanswered } from './answers.ts';
import type { KeepAlive } from './keep-alive.ts';
import { LenientKeys } from './lenient-key.ts';
import type { ConnectedAs, Relay } from './relay.ts';

export interface CdpSession {
  readonly relay: Relay;
  readonly browser: Browser;
}

export interface CdpUpgrade {
  session: CdpSession;
  /** Whether the session has not ended meanwhile. */
  isOpen(): boolean;
  /** The CDP session is with this target or, if it is undefined, with the browser. */
  targetId: string | undefined;
  connectedAs: ConnectedAs;
}

/** Turns requests to upgrade into CDP clients of sessions. */
export class CdpConnections {
  // It sees only control frames of what CDP clients send. The switchboard reads messages, and limits them.
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: 2 ** 10,
    skipUTF8Validation: true,
  });
  readonly #keys = new LenientKeys(this.#webSockets);
  readonly #keepAlive: KeepAlive;
  readonly #metrics: Pick<HostMetrics, 'socket'>;

  constructor(keepAlive: KeepAlive, metrics: Pick<HostMetrics, 'socket'>) {
    this.#keepAlive = keepAlive;
    this.#metrics = metrics;
  }

  async upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    { session: { relay, browser }, isOpen, targetId, connectedAs }: CdpUpgrade,
  ): Promise<void> {
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
    if (!isOpen()) return refuse(socket, notFound);
    let connected = false;
    try {
      this.#keys.accept(request);
      const stream = relay.takeConnection(rootCdpSessionId, socket, head);
      this.#webSockets.handleUpgrade(request, stream, Buffer.alloc(0), (webSocket) => {
        connected = true;
        relay.connect(rootCdpSessionId, targetId, webSocket, stream, connectedAs);
        this.#keepAlive.watch(webSocket, stream);
        webSocket.once('close', this.#metrics.socket('cdp'));
      });
    } catch {
      socket.destroy(); // It is closed already.
    }
    if (!connected) void relay.detach(rootCdpSessionId); // The upgrade was not valid, or the client is gone.
  }
}
