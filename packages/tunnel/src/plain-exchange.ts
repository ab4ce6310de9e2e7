import type { Connection } from '@turnpike/process/connection';
import { ConnectionClosed, isReset } from '@turnpike/process/owned-socket';
import { endToEnd } from './hop-headers.ts';
import { copyBody } from './http-body.ts';
import { type Framing, framedHeaders, isEmpty, responseFraming } from './http-framing.ts';
import { formatHead, type RequestHead, type ResponseHead } from './http-head.ts';
import { BadMessage, hasToken, valuesOf } from './http-headers.ts';
import { readResponseHead } from './read-head.ts';
import { describeFailure, UpstreamProxyError } from './upstream-proxy-error.ts';

/** Where a plain HTTP request goes, and how its head is written. */
export interface PlainRoute {
  /** Requests with the same key may follow each other on one connection. */
  key: string;
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
}

/** Methods that are safe to repeat (RFC 9110, 9.2.1). */
const safeMethods = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Carries the plain HTTP requests of one client connection, one after the other. A connection to a target belongs to
 * that client connection. It is reused only if nothing of the last request can be left in it: a target that ignores a
 * body would read it as the next request.
 */
export class PlainExchanges {
  readonly #client: Connection;
  readonly #answerMs: number;
  #target: { key: string; connection: Connection } | undefined;

  /** `answerMs`: idle time until a response must begin. */
  constructor(client: Connection, answerMs: number) {
    this.#client = client;
    this.#answerMs = answerMs;
    client.onClose(() => this.#target?.connection.destroy());
  }

  /**
   * Resolves when the exchange is over, with whether the client may send another request. Rejects with a
   * `UpstreamProxyError` or a `BadMessage` if the client has no response yet.
   */
  async carry(request: RequestHead, route: PlainRoute): Promise<boolean> {
    const kept = this.#takeKept(route.key);
    if (kept) {
      route.reuse?.(kept);
      try {
        return await this.#exchange(request, route, kept);
      } catch (error) {
        // The other side may close a kept connection just as it is used again (RFC 9112, 9.3.1).
        const isRepeatable = isEmpty(request.body) && safeMethods.includes(request.method);
        const wasDropped =
          error instanceof UpstreamProxyError && (error.unanswered || error.broke === 'reset');
        if (!isRepeatable || !wasDropped) throw error;
      }
    }
    return this.#exchange(request, route, await this.#open(route));
  }

  #takeKept(key: string): Connection | undefined {
    const kept = this.#target;
    if (kept?.key === key && kept.connection.isQuiet) return kept.connection;
    kept?.connection.destroy();
    return undefined;
  }

  async #open({ key, open }: PlainRoute): Promise<Connection> {
    const connection = await open();
    this.#target = { key, connection };
    if (this.#client.isOpen) return connection;
    connection.destroy();
    throw new ConnectionClosed();
  }

  async #exchange(request: RequestHead, route: PlainRoute, target: Connection): Promise<boolean> {
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
    if (!isEmpty(request.body) || !isReusable(answer, framing)) target.destroy();
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
      const answer = await this.#readAnswer(request, target);
      if (route.isProxy && answer.status === 407)
        throw new UpstreamProxyError('did not accept the credentials');
      const framing = responseFraming(answer, request.method);
      target.idleTimeout(0); // A response that has begun may pause without a limit.
      return { answer, framing };
    } catch (error) {
      target.destroy();
      throw sending.fault ?? describeFailure(error);
    }
  }

  async #readAnswer({ minor }: RequestHead, target: Connection): Promise<ResponseHead> {
    for (;;) {
      const answer = await readResponseHead(target);
      if (answer.status >= 200) return answer;
      if (answer.status === 101)
        throw new UpstreamProxyError('changed the protocol unasked', { broke: 'closed' });
      if (minor > 0) await this.#client.write(answerHead(answer, { kind: 'none' }, true, minor));
    }
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

function requestHead({ method, minor, headers }: RequestHead, route: PlainRoute): string {
  const kept = endToEnd(headers);
  if (valuesOf(kept, 'host').length === 0) kept.unshift('Host', route.host);
  const [name = '', value = ''] = kept;
  // Chromium sends it right after the host.
  const connection = ['Connection', minor > 0 ? 'keep-alive' : 'close'];
  const ordered =
    name.toLowerCase() === 'host' ? [name, value, ...connection, ...kept.slice(2)] : [...kept, ...connection];
  return formatHead(`${method} ${route.target} HTTP/1.${minor}`, [...ordered, ...route.headers]);
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
