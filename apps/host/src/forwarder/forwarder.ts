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
import { describeFailure, UpstreamProxyError } from '@turnpike/tunnel/upstream-proxy-error';
import { checkedRequest, checkedTarget } from './checked-request.ts';
import type { Refuses } from './host-rules.ts';
import { loginAnswer, readCredentials } from './proxy-login.ts';
import { refusalAnswer } from './refusal-answer.ts';
import type { Route, Routes } from './routes.ts';

/** `failed`: what could not be carried, where it is known. */
type OnFailure = (
  cause: ConnectionFailure,
  error: unknown,
  failed?: { target: Target; proxy: string },
) => void;

/** Chromium's own timeout. */
const defaultAnswerMs = 300_000;
const limits: HttpLimits = { headMs: 60_000, idleMs: 300_000, maxHeadBytes: 256 * 1024 };

export interface ForwarderOptions {
  /** What may not be reached. Undefined if everything may. */
  refuses?: Refuses | undefined;
  /** Called for each request or tunnel that could not be carried, with the error. */
  onFailure?: OnFailure;
}

/**
 * One browser's only connection to the network: an HTTP proxy that forwards everything to the customer's proxies. When
 * one fails the page gets an error. Nothing here connects to anything else.
 */
export class Forwarder {
  readonly #listeners: { listener: Server; sockets: SocketSet }[] = [];
  readonly #answerMs: number;
  /** Whose work it is to serve connections; undefined means nobody's, in tests. */
  readonly #work: WorkOwner | undefined;
  /** Connections to upstream proxies, which close them. */
  readonly #idle = new IdleConnections();
  /** The session's part of the processor's time, whatever the number of its connections. */
  readonly #slice: TimeSlice;
  #onFailure: OnFailure = () => {};
  #routes: Routes | undefined;
  #refuses: Refuses | undefined;
  #closed = false;

  /** `answerMs`: how long a plain request may wait for its answer without a byte either way. */
  constructor(answerMs = defaultAnswerMs, work?: WorkOwner & { readonly slice: TimeSlice }) {
    this.#answerMs = answerMs;
    this.#work = work;
    this.#slice = work?.slice ?? new TimeSlice();
  }

  /** Sets the ways out, once. Until then every request is refused. */
  bind(routes: Routes, { refuses, onFailure }: ForwarderOptions = {}): void {
    if (this.#routes) throw new Error('The forwarder already has a proxy');
    this.#routes = routes;
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
    this.#routes?.close();
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
    let route: Route | undefined;
    try {
      if (!url || !target) throw new UpstreamProxyError('was not asked: this is not a proxy request');
      const routes = this.#bound();
      route = routeOf(routes, client, target);
      const written = this.#refuses ? checkedRequest(request, url, this.#refuses) : request.target;
      if (typeof written !== 'string') return this.#refusePlain(client, request, { ...written, route });
      const { refusal } = routes;
      if (refusal) return this.#refusePlain(client, request, { target, reason: refusal, route });
      takeCredentials(route, request);
      routes.ledger.request(target, route.record);
      return await plain.carry(request, routeThrough(route.upstream, url, written), route.owner);
    } catch (error) {
      if (error instanceof BadMessage) {
        await answer(client, { status: 400, text: `${error.message}\n`, keeps: false });
        return false;
      }
      const reason = this.#routes?.refusal;
      if (target && reason) return this.#refusePlain(client, request, { target, reason, route });
      const failure = describeFailure(error);
      const asks = asksClient(route, failure);
      if (target && client.isOpen && asks !== 'first') this.#proxyFailed(target, failure, route);
      if (asks) return answerPlain(client, request, loginAnswer);
      if (failure.broke) {
        closeLike(client, failure.broke);
        return false;
      }
      return answerPlain(client, request, failureAnswer(failure));
    }
  }

  #refusePlain(client: Connection, request: RequestHead, refused: Refused): Promise<boolean> {
    return answerPlain(client, request, this.#refuse(refused));
  }

  async #onConnect(client: Connection, request: RequestHead): Promise<void> {
    const target = parseTarget(request.target);
    let route: Route | undefined;
    let upstream: Connection;
    try {
      if (!target) throw new UpstreamProxyError('was not asked: malformed target');
      const routes = this.#bound();
      route = routeOf(routes, client, target);
      const reason = this.#refuses?.(target) ?? routes.refusal;
      if (reason) return this.#refuseTunnel(client, { target, reason, route });
      takeCredentials(route, request);
      routes.ledger.tunnel(target, route.record);
      upstream = await route.upstream.tunnel(this.#refuses ? checkedTarget(target) : target);
    } catch (error) {
      const reason = this.#routes?.refusal;
      if (target && reason) return this.#refuseTunnel(client, { target, reason, route });
      const failure = describeFailure(error);
      const asks = asksClient(route, failure);
      if (target && client.isOpen && asks !== 'first') this.#proxyFailed(target, failure, route);
      return answer(client, { ...(asks ? loginAnswer : failureAnswer(failure)), keeps: false });
    }
    void client.write('HTTP/1.1 200 Connection established\r\n\r\n').catch(() => {}); // `join` handles a closed connection.
    if (upstream instanceof LimitedConnection) await joinInSteps(client, upstream);
    else client.join(upstream);
  }

  #refuseTunnel(client: Connection, refused: Refused): Promise<void> {
    return answer(client, { ...this.#refuse(refused), keeps: false });
  }

  #refuse({ target, reason, route }: Refused): Omit<TextAnswer, 'keeps'> {
    this.#routes?.ledger.refuse(target, reason, route?.record);
    return refusalAnswer(reason, target);
  }

  #proxyFailed(target: Target, failure: UpstreamProxyError, route: Route | undefined): void {
    this.#routes?.ledger.refuse(target, 'proxy_failure', route?.record);
    if (failure.fault) route?.record.failed(failure.fault);
    this.#onFailure(failureOf(failure), failure, route && { target, proxy: route.record.label });
  }

  #bound(): Routes {
    if (!this.#routes) throw new UpstreamProxyError('is not set yet');
    return this.#routes;
  }
}

/** What is not carried, and why. */
interface Refused {
  target: Target;
  reason: RuleRefusal;
  route: Route | undefined;
}

/** Which proxy a request of this connection goes through, decided before anything is sent. */
function routeOf(routes: Routes, client: Connection, target: Target): Route {
  const route = routes.find(client.socket.localAddress ?? '', target);
  if (!route) throw new UpstreamProxyError('was not asked: no context has this address');
  return route;
}

/** A context's proxy may have its credentials from the client that made the context, by way of the browser. */
function takeCredentials({ takesCredentials, upstream }: Route, request: RequestHead): void {
  if (!takesCredentials) return;
  const credentials = readCredentials(request);
  if (credentials) upstream.authorize(credentials);
}

/** Whether the client is to be asked for credentials. `first`: it has given none yet, so nothing has failed. */
function asksClient(route: Route | undefined, { fault }: UpstreamProxyError): 'first' | 'again' | undefined {
  if (!route?.takesCredentials || fault !== 'credentials') return undefined;
  return route.upstream.proxy.username === undefined ? 'first' : 'again';
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
