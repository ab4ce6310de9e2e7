import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { steadyNow } from '@turnpike/process/steady-clock';
import type { Logger } from 'pino';
import type { ClusterTls } from './cluster-settings.ts';
import { explainServerError } from './connection-errors.ts';
import { announcedDigest, looksSigned, RequestVerifier, signAnswer } from './signature.ts';
import { UnknownConnections } from './unknown-connections.ts';

/** The private server of a gateway or host, which only other parts of the cluster may call. */

export interface PrivateCall {
  path: string;
  body: Buffer;
  /** Aborts when the caller disconnects before it has its response. */
  signal: AbortSignal;
}

export interface PrivateAnswer {
  status: number;
  body: string | Uint8Array;
}

export interface PrivateServerOptions {
  secret: string;
  tls: ClusterTls | undefined;
  /** Handles a call with a valid signature. */
  answer(call: PrivateCall): Promise<PrivateAnswer>;
  /** The largest call. The default is enough for a heartbeat with ten thousand sessions. */
  maxBodyBytes?: number;
  logger: Logger;
}

const usualBodyBytes = 4 * 2 ** 20;

/**
 * Callers of the version before announce no digest, so their calls are read before they are verified. All that are being
 * read together may take this much.
 */
const maxUnverifiedBytes = 8 * 2 ** 20;

const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 5000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 2000,
  // Longer than callers keep their connections, so that callers close them.
  keepAliveTimeout: 30_000,
  noDelay: true,
};

const tlsLimits = { requestCert: true, rejectUnauthorized: true, handshakeTimeout: 10_000 };

export class PrivateServer {
  readonly #options: PrivateServerOptions;
  readonly #verifier: RequestVerifier;
  readonly #server: Server;
  readonly #unknown = new UnknownConnections();
  #unverifiedBytes = 0;

  constructor(options: PrivateServerOptions) {
    this.#options = options;
    this.#verifier = new RequestVerifier(options.secret);
    const { tls } = options;
    this.#server = tls ? https.createServer({ ...limits, ...tls, ...tlsLimits }) : http.createServer(limits);
    this.#server.on('request', (request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    this.#server.on('connection', (socket) => this.#unknown.add(socket));
    this.#server.on('tlsClientError', (error: Error, socket: TLSSocket) => {
      const problem = explainServerError(error, socket.authorizationError);
      const peer = socket.remoteAddress;
      if (problem) options.logger.warn({ peer }, `refused a private connection: ${problem}`);
    });
  }

  async listen(port: number, bind: string): Promise<void> {
    this.#server.listen(port, bind);
    await once(this.#server, 'listening');
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Waits for calls to finish, then destroys the rest. */
  async close(graceMs = 5000): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    const sweep = setInterval(() => this.#server.closeIdleConnections(), 50);
    const cut = setTimeout(() => this.#server.closeAllConnections(), graceMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(cut);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const announced = announcedDigest(headers);
    const isOfVersionBefore = announced === undefined && looksSigned(headers);
    const early = isOfVersionBefore ? await this.#readUnverified(request) : undefined;
    if (isOfVersionBefore && !early) return void response.writeHead(413, { connection: 'close' }).end();
    // A clock that cannot be set back. Otherwise an old call could be accepted again after its nonce is forgotten.
    const now = steadyNow();
    const digest = announced ?? early?.digest ?? '';
    const verdict = this.#verifier.verify({ method, path, digest }, headers, now);
    if (!verdict.ok) {
      const peer = request.socket.remoteAddress;
      this.#options.logger.warn({ peer, path }, `refused a private call: it was ${verdict.rule}`);
    }
    const { nonce } = verdict;
    // Without the secret, the caller gets no reason, and no more of what it sends is read.
    if (nonce === undefined) return void response.writeHead(401, { connection: 'close' }).end();
    this.#unknown.verified(request.socket);
    const read = early ?? (await readBody(request, this.#maxBodyBytes));
    if (!read) return void response.writeHead(413, { connection: 'close' }).end();
    const refuse = (rule: string, more?: object) => {
      const message = `the call was ${rule}`;
      this.#send(response, nonce, { status: 401, body: JSON.stringify({ message, ...more }) });
    };
    if (!verdict.ok) return refuse(verdict.rule, verdict.isMistimed && { now });
    if (read.digest !== digest) return refuse('changed on its way');
    const hungUp = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) hungUp.abort();
    });
    const answer = await this.#answer({ path, body: read.body, signal: hungUp.signal });
    if (!response.destroyed) this.#send(response, nonce, answer);
  }

  get #maxBodyBytes(): number {
    return this.#options.maxBodyBytes ?? usualBodyBytes;
  }

  /** Returns undefined if it is too large, or others take the memory. */
  async #readUnverified(request: IncomingMessage): Promise<ReadBody | undefined> {
    let taken = 0;
    const take = (bytes: number) => {
      taken += bytes;
      this.#unverifiedBytes += bytes;
      return this.#unverifiedBytes <= maxUnverifiedBytes;
    };
    try {
      return await readBody(request, this.#maxBodyBytes, take);
    } finally {
      this.#unverifiedBytes -= taken;
    }
  }

  async #answer(call: PrivateCall): Promise<PrivateAnswer> {
    try {
      return await this.#options.answer(call);
    } catch (error) {
      this.#options.logger.error({ err: error, path: call.path }, 'a private call failed');
      return { status: 500, body: JSON.stringify({ message: (error as Error).message }) };
    }
  }

  #send(response: ServerResponse, nonce: string, { status, body }: PrivateAnswer): void {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    response
      .writeHead(status, {
        'content-length': bytes.length,
        ...signAnswer(this.#options.secret, { nonce, status, body: bytes }),
      })
      .end(bytes);
  }
}

interface ReadBody {
  body: Buffer;
  digest: string;
}

/** Returns undefined if it is too large, or `take` refuses it. */
async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  take: (bytes: number) => boolean = () => true,
): Promise<ReadBody | undefined> {
  const hash = createHash('sha256');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (!take(chunk.length) || size > maxBytes) return undefined;
    hash.update(chunk);
    chunks.push(chunk);
  }
  return { body: Buffer.concat(chunks), digest: hash.digest('hex') };
}
