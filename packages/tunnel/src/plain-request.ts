import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { urlHost } from '@turnpike/process/url-host';
import { DiallingAgent } from './dialling-agent.ts';
import { endToEnd } from './hop-headers.ts';
import { basicCredentials } from './http-connect.ts';
import { describeFailure, ProxyError } from './proxy-error.ts';
import { isSocks, type Upstream } from './upstream.ts';

/** Carries plain HTTP: in absolute form to an HTTP proxy, in origin form through a SOCKS connection. */
export class PlainRequests {
  readonly #upstream: Upstream;
  readonly #agent: http.Agent;
  readonly #answerTimeoutMs: number;

  constructor(upstream: Upstream, answerTimeoutMs: number) {
    this.#upstream = upstream;
    this.#agent = new DiallingAgent((target) =>
      isSocks(upstream.proxy) ? upstream.tunnel(target) : upstream.connect(),
    );
    this.#answerTimeoutMs = answerTimeoutMs;
  }

  /** Resolves when the answer is on its way; rejects with a `ProxyError` while it can still be another one. */
  async carry(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? '');
    if (url?.protocol !== 'http:') throw new ProxyError('was not asked: not a proxy request');
    const answer = await this.#send(request, url);
    if (answer.statusCode === 407) {
      answer.destroy();
      throw new ProxyError('did not accept the credentials');
    }
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders));
    answer.on('error', () => response.destroy());
    response.once('close', () => answer.destroy());
    answer.pipe(response);
  }

  close(): void {
    this.#agent.destroy();
  }

  async #send(request: IncomingMessage, url: URL): Promise<IncomingMessage> {
    const bodiless = request.headers['content-length'] === undefined && !request.headers['transfer-encoding'];
    for (;;) {
      const outgoing = this.#compose(request, url);
      try {
        return await exchange(outgoing, request);
      } catch (error) {
        // The proxy may close a kept connection just as it is used again (RFC 9110, 9.2.2).
        if (outgoing.reusedSocket && bodiless && isReset(error)) continue;
        throw describeFailure(error);
      }
    }
  }

  #compose({ method, rawHeaders, url: absolute }: IncomingMessage, url: URL): ClientRequest {
    const headers = endToEnd(rawHeaders);
    const timeout = this.#answerTimeoutMs;
    const common = { method, agent: this.#agent, timeout, setHost: false, insecureHTTPParser: true };
    if (isSocks(this.#upstream.proxy)) {
      const host = urlHost(url);
      const path = url.pathname + url.search;
      return http.request({ ...common, headers, host, port: url.port || 80, path });
    }
    const credentials = basicCredentials(this.#upstream.proxy);
    if (credentials !== undefined) headers.push('Proxy-Authorization', credentials);
    const { host, port } = this.#upstream.proxy;
    return http.request({ ...common, headers, host, port, path: absolute });
  }
}

function exchange(outgoing: ClientRequest, request: IncomingMessage): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.on('response', (answer) => {
      outgoing.setTimeout(0); // What has begun may pause as long as it likes.
      resolve(answer);
    });
    outgoing.on('timeout', () => {
      outgoing.destroy(new ProxyError('did not answer in time', { timedOut: true }));
    });
    outgoing.on('error', reject);
    outgoing.on('upgrade', (_answer, socket) => {
      socket.destroy();
      reject(new ProxyError('changed the protocol unasked'));
    });
    request.once('close', () => {
      if (!request.complete) outgoing.destroy();
    });
    request.pipe(outgoing);
  });
}

function isReset(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');
}
