import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { maxArchiveBytes } from '@turnpike/contract/host';
import { parseBoundedJson } from '@turnpike/process/bounded-json';
import { steadyNow } from '@turnpike/process/steady-clock';
import type { ClusterSettings } from './cluster-settings.ts';
import { explainCallError } from './connection-errors.ts';
import { signatureHeaders, signRequest, verifyAnswer } from './signature.ts';

/** The other side did not answer, or the response is not from the cluster. Whether it ran the call is unknown. */
export class UnreachableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnreachableError';
  }
}

const connectMs = 3000;
/** A saved profile and a saved cache in base64, and the rest of the response. */
const maxAnswerBytes = 2 * Math.ceil((maxArchiveBytes * 4) / 3) + 2 ** 20;
const agentOptions = {
  keepAlive: true,
  timeout: 120_000,
  keepAliveMsecs: 10_000,
  scheduling: 'lifo',
} as const;

/** Calls the private ports of the cluster. Rejects responses that are not signed for the call. */
export class PrivateClient {
  readonly #settings: ClusterSettings;
  readonly #http = new http.Agent(agentOptions);
  readonly #https: https.Agent;
  /** How far the clock of each called origin is ahead of this process's, if it reported that. */
  readonly #ahead = new Map<string, number>();

  constructor(settings: ClusterSettings) {
    this.#settings = settings;
    this.#https = new https.Agent({ ...agentOptions, ...settings.tls });
  }

  /** Sends JSON and returns JSON. A status other than 200 throws an error with the other side's message. */
  async call(base: string, path: string, what: unknown, signal: AbortSignal): Promise<unknown> {
    return this.callWith(base, path, Buffer.from(JSON.stringify(what)), signal);
  }

  /** The same for a body of bytes. */
  async callWith(base: string, path: string, body: Buffer, signal: AbortSignal): Promise<unknown> {
    const { url, answer } = await this.#callFor(base, path, body, signal);
    return answerValue(answer, url);
  }

  /** Sends JSON and returns bytes. */
  async callForBytes(base: string, path: string, what: unknown, signal: AbortSignal): Promise<Buffer> {
    const { answer } = await this.#callFor(base, path, Buffer.from(JSON.stringify(what)), signal);
    return answer.body;
  }

  async #callFor(
    base: string,
    path: string,
    body: Buffer,
    signal: AbortSignal,
  ): Promise<{ url: URL; answer: Answer }> {
    const url = new URL(`${base.replace(/(?<!\/)\/+$/, '')}/${path}`);
    let answer = await this.#sendAgainIfStale(url, body, signal);
    if (this.#learnTime(url, answer)) answer = await this.#sendAgainIfStale(url, body, signal);
    if (answer.status === 200) return { url, answer };
    const value = answerValue(answer, url);
    const { message = `answered ${answer.status}` } = (value ?? {}) as { message?: string };
    throw new CallRefused(answer.status, message, value);
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  async #sendAgainIfStale(url: URL, body: Buffer, signal: AbortSignal): Promise<Answer> {
    try {
      return await this.#send(url, body, signal);
    } catch (error) {
      // The other side closed a kept-alive connection before it read this. Calls are safe to repeat.
      if (!(error instanceof StaleConnection) || signal.aborted) throw error;
      return this.#send(url, body, signal);
    }
  }

  /** Whether a call was refused only for its time. Then the signed response has the right time. */
  #learnTime(url: URL, answer: Answer): boolean {
    if (answer.status !== 401) return false;
    const { now } = (answerValue(answer, url) ?? {}) as { now?: unknown };
    if (typeof now !== 'number' || !Number.isFinite(now)) return false;
    this.#ahead.set(url.origin, now - steadyNow());
    return true;
  }

  async #send(url: URL, body: Buffer, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    const path = url.pathname;
    const now = steadyNow() + (this.#ahead.get(url.origin) ?? 0);
    const headers = signRequest(this.#settings.secret, { method: 'POST', path, body }, now);
    const secure = url.protocol === 'https:';
    // Calls contain customers' passwords. With certificates, refuses a mistyped http:// URL.
    if (this.#settings.tls && !secure)
      throw new UnreachableError(`${url.origin} is not called: with certificates it must be https://`);
    const request = (secure ? https : http).request(url, {
      method: 'POST',
      path,
      agent: secure ? this.#https : this.#http,
      headers: { ...headers, 'content-type': 'application/json', 'content-length': body.length },
    });
    const cancel = () => request.destroy(signal.reason);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      limitConnecting(request);
      request.end(body);
      const answer = await answerOf(request, url);
      const nonce = headers[signatureHeaders.nonce] ?? '';
      if (!verifyAnswer(this.#settings.secret, { nonce, ...answer }, answer.headers)) {
        throw new UnreachableError(
          `${url.origin} gave an answer (${answer.status}) that is not signed with the cluster's secret`,
        );
      }
      return answer;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }
}

/** The other side understood the call and refused it. */
export class CallRefused extends Error {
  readonly status: number;
  readonly body: unknown;
  constructor(status: number, message: string, body: unknown) {
    super(message);
    this.name = 'CallRefused';
    this.status = status;
    this.body = body;
  }
}

/** Parses the response. An invalid one counts as no response. */
function answerValue({ body }: Answer, url: URL): unknown {
  try {
    return body.length > 0 ? parseBoundedJson(body.toString()) : undefined;
  } catch (cause) {
    throw new UnreachableError(`the response of ${url.origin} is not valid JSON`, { cause });
  }
}

class StaleConnection extends UnreachableError {}

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** Limits the time to connect, because a machine that is gone does not refuse connections. */
function limitConnecting(request: ClientRequest): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(() => request.destroy(new Error(`no connection in ${connectMs} ms`)), connectMs);
    const done = () => clearTimeout(timer);
    socket.once('connect', done).once('close', done);
  });
}

function answerOf(request: ClientRequest, url: URL): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error & { code?: string }) => {
      const stale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      const Kind = stale ? StaleConnection : UnreachableError;
      reject(new Kind(`${url.origin} cannot be reached: ${explainCallError(error, url)}`, { cause: error }));
    };
    request.once('error', fail);
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxAnswerBytes) request.destroy(new Error('the response is too large'));
        else chunks.push(chunk);
      });
      response.once('error', fail);
      response.once('end', () => {
        if (!response.complete) return fail(new Error('the response ended early'));
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, body: Buffer.concat(chunks) });
      });
    });
  });
}
