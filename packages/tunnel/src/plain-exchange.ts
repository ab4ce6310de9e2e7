import { endToEnd } from './http/hop-headers.ts';
import { copyBody } from './http/http-body.ts';
import { type Framing, framedHeaders, isEmpty, responseFraming } from './http/http-framing.ts';
import { formatHead, type RequestHead, type ResponseHead } from './http/http-head.ts';
import { BadMessage, hasToken, valuesOf } from './http/http-headers.ts';
import type { IdleConnections } from './idle-connections.ts';
import { readResponseHead } from './read-head.ts';
import type { Connection } from './sockets/connection.ts';
import { ConnectionClosed, isReset } from './sockets/owned-socket.ts';
import { credentialsRefused, describeFailure, UpstreamProxyError } from './upstream-proxy-error.ts';

/** Where a plain HTTP request goes, and how its head is written. */
export interface PlainRoute {
  /** Requests with the same key may follow each other on one connection. */
  key: string;
  /**
   * Requests with the same one may use the connection later, for other client connections of the same owner. Undefined
   * if it belongs to one client connection.
   */
  sharedKey?: string | undefined;
  /** For the request line: the path for a site, the whole URL for a proxy. */
  target: string;
  /** The URL's host and port, for a request without a Host header. */
  host: string;
  /** A proxy's credentials. */
  headers: readonly string[];
  /** The other side is a proxy: its 407 is about our credentials, and not for the client. */
  isProxy: boolean;
  open(): Promise<Connection>;
  /** Called before a connection that another request has used is used for this one. */
  reuse?(connection: Connection): void;
  /** Called with the time from the request to its answer. */
  answered?: ((ms: number) => void) | undefined;
}

/** Methods that are safe to repeat (RFC 9110, 9.2.1). */
const safeMethods = ['GET', 'HEAD', 'OPTIONS'];

/** Answers with a status of 1xx before the final one, for example for the progress of a long request. */
const maxInterim = 100;

/** A connection to a target, and which other requests it may carry. */
interface TargetConnection {
  owner: string;
  key: string;
  sharedKey: string | undefined;
  connection: Connection;
}

/**
 * Carries the plain HTTP requests of one client connection, one after the other. A connection to a target is used for
 * one owner only, and again only if nothing of the last request can be left in it: a target that ignores a body would
 * read it as the next request.
 */
export class PlainExchanges {
  readonly #client: Connection;
  readonly #answerMs: number;
  readonly #idle: IdleConnections;
  /** Waits for the next request of this client. */
  #kept: TargetConnection | undefined;
  /** Carries a request at the moment. */
  #busy: Connection | undefined;

  /** `answerMs`: idle time until a response must begin. */
  constructor(client: Connection, answerMs: number, idle: IdleConnections) {
    this.#client = client;
    this.#answerMs = answerMs;
    this.#idle = idle;
    client.onClose(() => {
      this.#busy?.destroy();
      this.#release();
    });
  }

  /**
   * Carries a request of an owner. Resolves when the exchange is over, with whether the client may send another request.
   * Rejects with a `UpstreamProxyError` or a `BadMessage` if the client has no response yet.
   */
  async carry(request: RequestHead, route: PlainRoute, owner: string): Promise<boolean> {
    const isRepeatable = isEmpty(request.body) && safeMethods.includes(request.method);
    // Only a request that can be repeated takes one from elsewhere: it may be dropped just then.
    const used = this.#takeKept(route, owner) ?? (isRepeatable ? this.#takeIdle(route, owner) : undefined);
    if (used) {
      route.reuse?.(used.connection);
      try {
        return await this.#exchange(request, route, used);
      } catch (error) {
        // The other side may close a kept connection just as it is used again (RFC 9112, 9.3.1).
        const wasDropped =
          error instanceof UpstreamProxyError && (error.unanswered || error.broke === 'reset');
        if (!isRepeatable || !wasDropped) throw error;
      }
    }
    return this.#exchange(request, route, await this.#open(route, owner));
  }

  /** Takes this client's own connection, or releases it where it cannot carry the request. */
  #takeKept({ key, sharedKey }: PlainRoute, owner: string): TargetConnection | undefined {
    const kept = this.#kept;
    if (kept?.owner !== owner || kept.key !== key || !kept.connection.isQuiet) {
      this.#release();
      return undefined;
    }
    this.#kept = undefined;
    // One that was used for two destinations is not for other clients: the first may still answer something.
    if (kept.sharedKey !== sharedKey) kept.sharedKey = undefined;
    return kept;
  }

  #takeIdle({ key, sharedKey }: PlainRoute, owner: string): TargetConnection | undefined {
    const connection = sharedKey === undefined ? undefined : this.#idle.take(owner, sharedKey);
    return connection && { owner, key, sharedKey, connection };
  }

  async #open({ key, sharedKey, open }: PlainRoute, owner: string): Promise<TargetConnection> {
    const connection = await open();
    if (this.#client.isOpen) return { owner, key, sharedKey, connection };
    connection.destroy();
    throw new ConnectionClosed();
  }

  /** Leaves the kept connection to the owner's other clients, if it may be. */
  #release(): void {
    if (!this.#kept) return;
    const { owner, sharedKey, connection } = this.#kept;
    this.#kept = undefined;
    if (sharedKey === undefined) connection.destroy();
    else this.#idle.put(owner, sharedKey, connection);
  }

  async #exchange(request: RequestHead, route: PlainRoute, used: TargetConnection): Promise<boolean> {
    const target = used.connection;
    this.#busy = target;
    target.slice = this.#client.slice;
    const sending = new Sending(this.#client, target, request.body);
    const { answer, framing } = await this.#ask(request, route, target, sending);
    const clientKeeps = sending.isDone && wantsKeepAlive(request) && framing.kind !== 'close';
    try {
      await this.#client.write(answerHead(answer, framing, clientKeeps, request.minor));
      await copyBody(target, this.#client, framing, request.minor > 0);
    } catch (error) {
      target.destroy();
      this.#breakOff(error);
      return false;
    }
    this.#busy = undefined;
    if (!isEmpty(request.body) || !isReusable(answer, framing)) {
      target.destroy();
      return clientKeeps;
    }
    // Some ways to sign in, such as NTLM, are for a connection and not for a request.
    if (valuesOf(request.headers, 'authorization').length > 0) used.sharedKey = undefined;
    this.#kept = used;
    if (!clientKeeps || !this.#client.isOpen) this.#release();
    return clientKeeps;
  }

  /** Sends the request and reads the head of the response. */
  async #ask(
    request: RequestHead,
    route: PlainRoute,
    target: Connection,
    sending: Sending,
  ): Promise<{ answer: ResponseHead; framing: Framing }> {
    try {
      target.idleTimeout(this.#answerMs);
      await target.write(requestHead(request, route));
      sending.start();
      const sentAt = performance.now();
      const answer = await this.#readAnswer(request, target);
      route.answered?.(performance.now() - sentAt);
      if (route.isProxy && answer.status === 407) throw credentialsRefused();
      const framing = responseFraming(answer, request.method);
      target.idleTimeout(0); // A response that has begun may pause without a limit.
      return { answer, framing };
    } catch (error) {
      target.destroy();
      throw sending.fault ?? describeFailure(error);
    }
  }

  async #readAnswer({ minor }: RequestHead, target: Connection): Promise<ResponseHead> {
    for (let interim = 0; interim <= maxInterim; interim++) {
      const wait = target.slice.next();
      if (wait) await wait;
      const answer = await readResponseHead(target);
      if (answer.status >= 200) return answer;
      if (answer.status === 101)
        throw new UpstreamProxyError('changed the protocol unasked', { broke: 'closed' });
      if (minor > 0) await this.#client.write(answerHead(answer, { kind: 'none' }, true, minor));
    }
    throw new UpstreamProxyError('sent interim answers without end', { broke: 'closed' });
  }

  /** Ends the client's connection in the same way, so that the client sees an incomplete response. */
  #breakOff(error: unknown): void {
    if (isReset(error)) this.#client.reset();
    else this.#client.closeAfterWrites();
  }
}

/** Sends a request's body to the target, while the response may already arrive. */
class Sending {
  readonly #from: Connection;
  readonly #to: Connection;
  readonly #body: Framing;
  isDone: boolean;
  /** The client's error. */
  fault: BadMessage | undefined;

  constructor(from: Connection, to: Connection, body: Framing) {
    this.#from = from;
    this.#to = to;
    this.#body = body;
    this.isDone = isEmpty(body);
  }

  start(): void {
    if (!this.isDone) void this.#send();
  }

  async #send(): Promise<void> {
    try {
      await copyBody(this.#from, this.#to, this.#body);
      this.isDone = true;
    } catch (error) {
      // A target may respond and close its side early. Its response is still valid.
      if (!(error instanceof BadMessage) && this.#from.isOpen) return;
      if (error instanceof BadMessage) this.fault = error;
      this.#to.destroy();
    }
  }
}

/** Written in our own version, also for an HTTP/1.0 client (RFC 9110, 6.2), so that the connection can be kept. */
function requestHead({ method, headers }: RequestHead, route: PlainRoute): string {
  const kept = endToEnd(headers);
  if (valuesOf(kept, 'host').length === 0) kept.unshift('Host', route.host);
  const [name = '', value = ''] = kept;
  // Chromium sends it right after the host.
  const connection = ['Connection', 'keep-alive'];
  const ordered =
    name.toLowerCase() === 'host' ? [name, value, ...connection, ...kept.slice(2)] : [...kept, ...connection];
  return formatHead(`${method} ${route.target} HTTP/1.1`, [...ordered, ...route.headers]);
}

function answerHead(answer: ResponseHead, framing: Framing, keeps: boolean, minor: number): string {
  const { status, reason } = answer;
  const shown = framing.kind === 'chunked' && minor === 0 ? ({ kind: 'close' } as const) : framing;
  const headers = framedHeaders(endToEnd(answer.headers), shown, status);
  if (!keeps) headers.push('Connection', 'close');
  return formatHead(`HTTP/1.1 ${status} ${reason}`, headers);
}

/** An HTTP/1.0 client gets one response for each connection. */
export function wantsKeepAlive({ minor, headers }: RequestHead): boolean {
  return (
    minor > 0 && !hasToken(headers, 'connection', 'close') && !hasToken(headers, 'proxy-connection', 'close')
  );
}

function isReusable({ minor, headers }: ResponseHead, framing: Framing): boolean {
  // With both framings it is unclear where the other side ends its responses.
  const isAmbiguous = framing.kind === 'chunked' && valuesOf(headers, 'content-length').length > 0;
  return minor > 0 && framing.kind !== 'close' && !isAmbiguous && !hasToken(headers, 'connection', 'close');
}
