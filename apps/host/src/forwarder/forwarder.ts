import type { Server } from 'node:net';
import { type Connection, type FailureReport, serveConnections } from '@turnpike/process/connection';
import type { SocketSet } from '@turnpike/process/owned-socket';
import { isEmpty } from '@turnpike/tunnel/http-framing';
import type { RequestHead } from '@turnpike/tunnel/http-head';
import { BadMessage } from '@turnpike/tunnel/http-headers';
import { PlainExchanges, wantsKeepAlive } from '@turnpike/tunnel/plain-exchange';
import { plainUrl, routeThrough } from '@turnpike/tunnel/plain-route';
import { answer, type HttpLimits, serveHttp } from '@turnpike/tunnel/serve-http';
import { parseTarget } from '@turnpike/tunnel/target';
import type { Upstream } from '@turnpike/tunnel/upstream';
import { describeFailure, UpstreamProxyError } from '@turnpike/tunnel/upstream-proxy-error';

/** As long as Chromium itself would wait. */
const defaultAnswerMs = 300_000;
const limits: HttpLimits = { headMs: 60_000, idleMs: 300_000, maxHeadBytes: 256 * 1024 };

/**
 * One browser's only way out: an HTTP proxy that passes everything on to the customer's proxy. When that
 * fails the page gets an error. Nothing here connects to anything else.
 */
export class Forwarder {
  readonly #listeners: { listener: Server; sockets: SocketSet }[] = [];
  readonly #answerMs: number;
  #onFailure: FailureReport = () => {};
  #upstream: Upstream | undefined;
  #closed = false;

  /** `answerMs`: for a plain request to be answered, without a byte either way. */
  constructor(answerMs = defaultAnswerMs) {
    this.#answerMs = answerMs;
  }

  /** Until there is one, every request is refused; then there is never another. */
  bind(upstream: Upstream, onFailure: FailureReport = () => {}): void {
    if (this.#upstream) throw new Error('The forwarder has its proxy');
    this.#upstream = upstream;
    this.#onFailure = onFailure;
  }

  /** Serves the connections of a listening socket that someone else made. */
  adopt(listener: Server): void {
    if (this.#closed) {
      listener.close();
      return;
    }
    const sockets = serveConnections(
      listener,
      (client) => this.#serve(client),
      (error) => this.#onFailure(error),
    );
    this.#listeners.push({ listener, sockets });
  }

  /** Breaks every connection off. */
  close(): void {
    this.#closed = true;
    for (const { listener, sockets } of this.#listeners) {
      listener.close();
      void sockets.close();
    }
    this.#upstream?.close();
  }

  #serve(client: Connection): Promise<void> {
    const plain = new PlainExchanges(client, this.#answerMs);
    const handler = {
      onConnect: (request: RequestHead) => this.#onConnect(client, request),
      onRequest: (request: RequestHead) => this.#onRequest(client, plain, request),
    };
    return serveHttp(client, handler, limits);
  }

  async #onRequest(client: Connection, plain: PlainExchanges, request: RequestHead): Promise<boolean> {
    try {
      const url = plainUrl(request.target);
      if (!url) throw new UpstreamProxyError('was not asked: not a proxy request');
      return await plain.carry(request, routeThrough(this.#proxy(), url, request.target));
    } catch (error) {
      if (error instanceof BadMessage) {
        await answer(client, { status: 400, text: `${error.message}\n`, keeps: false });
        return false;
      }
      const failure = describeFailure(error);
      if (failure.broke) {
        breakOff(client, failure.broke);
        return false;
      }
      const keeps = isEmpty(request.body) && wantsKeepAlive(request);
      await answer(client, { ...failureAnswer(failure), keeps });
      return keeps;
    }
  }

  async #onConnect(client: Connection, request: RequestHead): Promise<void> {
    let upstream: Connection;
    try {
      const target = parseTarget(request.target);
      if (!target) throw new UpstreamProxyError('was not asked: malformed target');
      upstream = await this.#proxy().tunnel(target);
    } catch (error) {
      return answer(client, { ...failureAnswer(describeFailure(error)), keeps: false });
    }
    void client.write('HTTP/1.1 200 Connection established\r\n\r\n').catch(() => {}); // The join sees it closed.
    client.join(upstream);
  }

  #proxy(): Upstream {
    if (!this.#upstream) throw new UpstreamProxyError('is not there yet');
    return this.#upstream;
  }
}

/**
 * A page has the network error that it would have had without us between: no answer at all for a connection
 * that was closed, a reset for one that was reset or refused.
 */
function breakOff(client: Connection, how: 'closed' | 'reset'): void {
  if (how === 'reset') client.reset();
  else client.closeAfterWrites();
}

/** What a page may see: nothing that names the customer's proxy. */
function failureAnswer({ timedOut }: UpstreamProxyError): { status: 502 | 504; text: string } {
  return timedOut
    ? { status: 504, text: 'The proxy did not answer in time.\n' }
    : { status: 502, text: 'The proxy could not carry this request.\n' };
}
