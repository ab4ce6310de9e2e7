import http, { type Server } from 'node:http';
import type { Socket } from 'node:net';
import { ownedBy } from '@turnpike/process/work/work';
import { notFound, refuse, send, unanswered } from '../relay/answers.ts';
import type { CdpConnections, CdpSession } from '../relay/cdp-connections.ts';
import { answerDiscovery, type DiscoverySession, readDiscovery } from '../relay/discovery.ts';

export interface DevToolsOptions {
  session: CdpSession & DiscoverySession;
  cdpConnections: CdpConnections;
  /** The program that the session runs. */
  chromium: string;
  isOpen(): boolean;
}

const webSocketPath = /^\/devtools(?:\/browser(?:\/[^/?]*)?|\/page\/([^/?]+))?$/;

/**
 * What Chromium serves at its DevTools port, for the workers of one session. It listens nowhere: connections to workers
 * are given to it.
 */
export class DevToolsServer {
  readonly #server: Server;

  constructor({ session, cdpConnections, chromium, isOpen }: DevToolsOptions) {
    this.#server = http.createServer({ maxHeaderSize: 16 * 1024 });
    this.#server.on('request', (request, response) => {
      for (const stream of [request, response]) stream.on('error', () => {}); // A close follows.
      const { method = '', url = '', headers } = request;
      const read = readDiscovery(url);
      const base = `ws://${headers.host ?? 'localhost'}/devtools`;
      const asked = read && { method, ...read, base, chromium };
      const answered = asked && ownedBy(session.browser.work, () => answerDiscovery(session, asked));
      Promise.resolve(answered).then(
        (answer) => send(response, answer ?? notFound),
        (error: unknown) => send(response, unanswered(error)),
      );
    });
    this.#server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => {}); // A close follows.
      const [matched, targetId] = webSocketPath.exec(request.url ?? '') ?? [];
      if (matched === undefined) refuse(socket, notFound);
      else {
        cdpConnections
          .upgrade(request, socket, head, { session, isOpen, targetId, connectedAs: 'worker' })
          .catch(() => socket.destroy());
      }
    });
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  serve(socket: Socket): void {
    this.#server.emit('connection', socket);
  }
}
