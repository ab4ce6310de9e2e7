import type { Server } from 'node:net';
import type { RuleRefusal } from '@turnpike/contract/traffic';
import { TimeSlice } from '@turnpike/process/work/time-slice';
import { ownedBy, type WorkOwner } from '@turnpike/process/work/work';
import { type ConnectionFailure, failureOf } from '@turnpike/tunnel/connection-failure';
import { isEmpty } from '@turnpike/tunnel/http/http-framing';
import type { RequestHead } from '@turnpike/tunnel/http/http-head';
import { BadMessage } from '@turnpike/tunnel/http/http-headers';
import { IdleConnections } from '@turnpike/tunnel/idle-connections';
import { joinInSteps, LimitedConnection } from '@turnpike/tunnel/limited-connection';
import { PlainExchanges, wantsKeepAlive } from '@turnpike/tunnel/plain-exchange';
import { plainUrl, routeThrough, targetOf } from '@turnpike/tunnel/plain-route';
import { answer, type HttpLimits, serveHttp, type TextAnswer } from '@turnpike/tunnel/serve-http';
import { type Connection, serveConnections } from '@turnpike/tunnel/sockets/connection';
import type { SocketSet } from '@turnpike/tunnel/sockets/owned-socket';
import { parseTarget, type Target } from '@turnpike/tunnel/target';
import type { Upstream } from '@turnpike/tunnel/upstream';
import { describeFailure, UpstreamProxyError } from '@turnpike/tunnel/upstream-proxy-error';
import { checkedRequest, checkedTarget } from './checked-request.ts';
import type { Refuses } from './host-rules.ts';
import { refusalAnswer } from './refusal-answer.ts';
import { TrafficLedger } from './traffic-ledger.ts';

type OnFailure = (cause: ConnectionFailure, error: unknown) => void;

/** Chromium's own timeout. */
const defaultAnswerMs = 300_000;
/** All connections are for one session, which has a pool of its own. */
const owner = 'session';
const limits: HttpLimits = { headMs: 60_000, idleMs: 300_000, maxHeadBytes: 256 * 1024 };

export interface ForwarderOptions {
  /** What may not be reached. Undefined if everything may. */
  refuses?: Refuses | undefined;
  /** Where requests, tunnels and refusals are counted. The upstream proxy counts bytes. */
  ledger?: TrafficLedger;
  /** Called for each request or tunnel that could not be carried, with the error. */
  onFailure?: OnFailure;
}

/**
 * One browser's only connection to the network: an HTTP proxy that forwards everything to the customer's proxy. When
 * that fails the page gets an error. Nothing here connects to anything else.
 */
export class Forwarder {
  readonly #listeners: { listener: Server; sockets: SocketSet }[] = [];
  readonly #answerMs: number;
  /** Whose work it is to serve connections; undefined means nobody's, in tests. */
  readonly #work: WorkOwner | undefined;
  /** Connections to the upstream proxy, which closes them. */
  readonly #idle = new IdleConnections();
  /** The session's part of the processor's time, whatever the number of its connections. */
  readonly #slice: TimeSlice;
  #onFailure: OnFailure = () => {};
  #upstream: Upstream | undefined;
  #refuses: Refuses | undefined;
  #ledger = new TrafficLedger();
  #closed = false;

  /** `answerMs`: how long a plain request may wait for its answer without a byte either way. */
  constructor(answerMs = defaultAnswerMs, work?: WorkOwner & { readonly slice: TimeSlice }) {
    this.#answerMs = answerMs;
    this.#work = work;
    this.#slice = work?.slice ?? new TimeSlice();
  }

  /** Sets the upstream proxy, once. Until then every request is refused. */
  bind(upstream: Upstream, { refuses, ledger, onFailure }: ForwarderOptions = {}): void {
    if (this.#upstream) throw new Error('The forwarder already has a proxy');
    this.#upstream = upstream;
    this.#refuses = refuses;
    this.#ledger = ledger ?? this.#ledger;
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
      (client) => (this.#work ? ownedBy(this.#work, () => this.#serve(client)) : this.#serve(client)),
      (error) => this.#onFailure('defect', error),
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
    client.slice = this.#slice;
    const plain = new PlainExchanges(client, this.#answerMs, this.#idle);
    const handler = {
      onConnect: (request: RequestHead) => this.#onConnect(client, request),
      onRequest: (request: RequestHead) => this.#onRequest(client, plain, request),
    };
    return serveHttp(client, handler, limits);
  }

  async #onRequest(client: Connection, plain: PlainExchanges, request: RequestHead): Promise<boolean> {
    const url = plainUrl(request.target);
    const target = url && targetOf(url);
    try {
      if (!url || !target) throw new UpstreamProxyError('was not asked: this is not a proxy request');
      const upstream = this.#proxy();
      const written = this.#refuses ? checkedRequest(request, url, this.#refuses) : request.target;
      if (typeof written !== 'string')
        return this.#refusePlain(client, request, written.target, written.reason);
      if (upstream.isSpent) return this.#refusePlain(client, request, target, 'max_bytes');
      this.#ledger.request(target);
      return await plain.carry(request, routeThrough(upstream, url, written), owner);
    } catch (error) {
      if (error instanceof BadMessage) {
        await answer(client, { status: 400, text: `${error.message}\n`, keeps: false });
        return false;
      }
      if (target && this.#upstream?.isSpent) return this.#refusePlain(client, request, target, 'max_bytes');
      const failure = describeFailure(error);
      if (target && client.isOpen) this.#proxyFailed(target, failure);
      if (failure.broke) {
        closeLike(client, failure.broke);
        return false;
      }
      return answerPlain(client, request, failureAnswer(failure));
    }
  }

  #refusePlain(
    client: Connection,
    request: RequestHead,
    target: Target,
    reason: RuleRefusal,
  ): Promise<boolean> {
    this.#ledger.refuse(target, reason);
    return answerPlain(client, request, refusalAnswer(reason, target));
  }

  async #onConnect(client: Connection, request: RequestHead): Promise<void> {
    const target = parseTarget(request.target);
    let upstream: Connection;
    try {
      if (!target) throw new UpstreamProxyError('was not asked: malformed target');
      const proxy = this.#proxy();
      const reason = this.#refuses?.(target) ?? (proxy.isSpent ? 'max_bytes' : undefined);
      if (reason) return this.#refuseTunnel(client, target, reason);
      this.#ledger.tunnel(target);
      upstream = await proxy.tunnel(this.#refuses ? checkedTarget(target) : target);
    } catch (error) {
      if (target && this.#upstream?.isSpent) return this.#refuseTunnel(client, target, 'max_bytes');
      const failure = describeFailure(error);
      if (target && client.isOpen) this.#proxyFailed(target, failure);
      return answer(client, { ...failureAnswer(failure), keeps: false });
    }
    void client.write('HTTP/1.1 200 Connection established\r\n\r\n').catch(() => {}); // `join` handles a closed connection.
    if (upstream instanceof LimitedConnection) await joinInSteps(client, upstream);
    else client.join(upstream);
  }

  #refuseTunnel(client: Connection, target: Target, reason: RuleRefusal): Promise<void> {
    this.#ledger.refuse(target, reason);
    return answer(client, { ...refusalAnswer(reason, target), keeps: false });
  }

  #proxyFailed(target: Target, failure: UpstreamProxyError): void {
    this.#ledger.refuse(target, 'proxy_failure');
    this.#onFailure(failureOf(failure), failure);
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
  text: Omit<TextAnswer, 'keeps'>,
): Promise<boolean> {
  const keeps = isEmpty(request.body) && wantsKeepAlive(request);
  await answer(client, { ...text, keeps });
  return keeps;
}

/**
 * Gives the page the network error that it would have had without a forwarder: an empty answer for a connection that
 * was closed, a reset for one that was reset or refused.
 */
function closeLike(client: Connection, how: 'closed' | 'reset'): void {
  if (how === 'reset') client.reset();
  else client.closeAfterWrites();
}

/** The answer that a page sees. It must not name the customer's proxy. */
function failureAnswer({ timedOut }: UpstreamProxyError): Omit<TextAnswer, 'keeps'> {
  const headers = ['X-Refused-By', 'proxy_failure'];
  return timedOut
    ? { status: 504, text: 'The proxy did not answer in time.\n', headers }
    : { status: 502, text: 'The proxy could not carry this request.\n', headers };
}
