import type { Server } from 'node:net';
import { type Connection, type FailureReport, serveConnections } from '@turnpike/process/connection';
import type { SocketSet } from '@turnpike/process/owned-socket';
import { isEmpty } from '@turnpike/tunnel/http-framing';
import type { RequestHead } from '@turnpike/tunnel/http-head';
import { BadMessage } from '@turnpike/tunnel/http-headers';
import { PlainExchanges, wantsKeepAlive } from '@turnpike/tunnel/plain-exchange';
import { plainUrl, routeThrough, targetOf } from '@turnpike/tunnel/plain-route';
import { answer, type HttpLimits, serveHttp } from '@turnpike/tunnel/serve-http';
import { parseTarget, type Target } from '@turnpike/tunnel/target';
import type { Upstream } from '@turnpike/tunnel/upstream';
import { describeFailure, UpstreamProxyError } from '@turnpike/tunnel/upstream-proxy-error';

/** Chromium's own timeout. */
const defaultAnswerMs = 300_000;
/** The create parameter that refuses a destination. */
export type RefusalReason = 'block';

export interface ForwarderOptions {
  /** What may not be reached; asked before a byte is sent. Undefined: everything may. */
  refuses?: ((destination: Target) => RefusalReason | undefined) | undefined;
  onFailure?: FailureReport;
}

const limits: HttpLimits = { headMs: 60_000, idleMs: 300_000, maxHeadBytes: 256 * 1024 };

/**
 * One browser's only connection to the network: an HTTP proxy that forwards everything to the customer's proxy. When
 * that fails the page gets an error. Nothing here connects to anything else.
 */
export class Forwarder {
  readonly #listeners: { listener: Server; sockets: SocketSet }[] = [];
  readonly #answerMs: number;
  #onFailure: FailureReport = () => {};
  #upstream: Upstream | undefined;
  #refuses: ForwarderOptions['refuses'];
  #closed = false;

  /** `answerMs`: how long a plain request may wait for its answer without a byte either way. */
  constructor(answerMs = defaultAnswerMs) {
    this.#answerMs = answerMs;
  }

  /** Sets the upstream proxy, once. Until then every request is refused. */
  bind(upstream: Upstream, { refuses, onFailure }: ForwarderOptions = {}): void {
    if (this.#upstream) throw new Error('The forwarder already has a proxy');
    this.#upstream = upstream;
    this.#refuses = refuses;
    this.#onFailure = onFailure ?? this.#onFailure;
  }

  /** Serves the connections of a listening socket. */
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

  /** Closes every connection. */
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
      if (!url) throw new UpstreamProxyError('was not asked: this is not a proxy request');
      const upstream = this.#proxy();
      const reason = this.#refuses?.(targetOf(url));
      if (reason) return await answerPlain(client, request, refusalAnswer);
      return await plain.carry(request, routeThrough(upstream, url, request.target));
    } catch (error) {
      if (error instanceof BadMessage) {
        await answer(client, { status: 400, text: `${error.message}\n`, keeps: false });
        return false;
      }
      const failure = describeFailure(error);
      if (failure.broke) {
        closeLike(client, failure.broke);
        return false;
      }
      return answerPlain(client, request, failureAnswer(failure));
    }
  }

  async #onConnect(client: Connection, request: RequestHead): Promise<void> {
    let upstream: Connection;
    try {
      const target = parseTarget(request.target);
      if (!target) throw new UpstreamProxyError('was not asked: malformed target');
      const proxy = this.#proxy();
      if (this.#refuses?.(target)) return await answer(client, { ...refusalAnswer, keeps: false });
      upstream = await proxy.tunnel(target);
    } catch (error) {
      return answer(client, { ...failureAnswer(describeFailure(error)), keeps: false });
    }
    void client.write('HTTP/1.1 200 Connection established\r\n\r\n').catch(() => {}); // `join` handles a closed connection.
    client.join(upstream);
  }

  #proxy(): Upstream {
    if (!this.#upstream) throw new UpstreamProxyError('is not set yet');
    return this.#upstream;
  }
}

/** Answers a plain request in the place of the proxy. Resolves with whether another request may follow. */
async function answerPlain(
  client: Connection,
  request: RequestHead,
  text: { status: number; text: string },
): Promise<boolean> {
  const keeps = isEmpty(request.body) && wantsKeepAlive(request);
  await answer(client, { ...text, keeps });
  return keeps;
}

const refusalAnswer = { status: 403, text: 'A filter list of this session refuses this host.\n' };

/**
 * Gives the page the network error that it would have had without a forwarder: an empty answer for a connection that
 * was closed, a reset for one that was reset or refused.
 */
function closeLike(client: Connection, how: 'closed' | 'reset'): void {
  if (how === 'reset') client.reset();
  else client.closeAfterWrites();
}

/** The answer that a page sees. It must not name the customer's proxy. */
function failureAnswer({ timedOut }: UpstreamProxyError): { status: 502 | 504; text: string } {
  return timedOut
    ? { status: 504, text: 'The proxy did not answer in time.\n' }
    : { status: 502, text: 'The proxy could not carry this request.\n' };
}
