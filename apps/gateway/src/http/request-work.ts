import { ownedBy, type WorkOwner } from '@turnpike/process/work/work';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The gateway's work for one request. One that holds the thread loses its connection. */
class RequestWork implements WorkOwner {
  busyMs = 0;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request;
    this.#reply = reply;
  }

  /** Names the route and not the URL, which may have a key in it. */
  get workName(): string {
    const { id, method, routeOptions } = this.#request;
    return `request ${id}: ${method} ${routeOptions.url ?? 'unknown route'}`;
  }

  onStalled(): void {
    this.#reply.raw.destroy();
  }
}

/** Tells the watchdog which request the thread works for. */
export function ownRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => ownedBy(new RequestWork(request, reply), done));
}
