import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { parseBoundedJson } from '../bounded-json.ts';
import { steadyNow } from '../steady-clock.ts';
import type { ClusterSettings } from './cluster-settings.ts';
import { callerTrouble } from './connection-trouble.ts';
import { signatureHeaders, signRequest, verifyAnswer } from './signature.ts';

/** The other side did not answer, or what answered was not the cluster. What it has done is not known. */
export class UnreachableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnreachableError';
  }
}

const connectMs = 3000;
const agentOptions = {
  keepAlive: true,
  timeout: 120_000,
  keepAliveMsecs: 10_000,
  scheduling: 'lifo',
} as const;

/** Calls the private sides of the cluster. Answers that are not signed for the very call are no answers. */
export class PrivateClient {
  readonly #settings: ClusterSettings;
  readonly #http = new http.Agent(agentOptions);
  readonly #https: https.Agent;
  /** How far the clocks of those called are ahead of this process's, by origin, where they said so. */
  readonly #ahead = new Map<string, number>();

  constructor(settings: ClusterSettings) {
    this.#settings = settings;
    this.#https = new https.Agent({ ...agentOptions, ...settings.tls });
  }

  /** Sends JSON and answers with JSON; a status other than 200 is an error with the other side's message. */
  async call(base: string, path: string, what: unknown, signal: AbortSignal): Promise<unknown> {
    const url = new URL(`${base.replace(/\/+$/, '')}/${path}`);
    const body = Buffer.from(JSON.stringify(what));
    let answer = await this.#sendAgainIfStale(url, body, signal);
    if (this.#learnTime(url, answer)) answer = await this.#sendAgainIfStale(url, body, signal);
    const value = answerValue(answer, url);
    if (answer.status === 200) return value;
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
      // The other side had closed a connection that was kept, before it read this. Calls are safe to repeat.
      if (!(error instanceof StaleConnection) || signal.aborted) throw error;
      return this.#send(url, body, signal);
    }
  }

  /** Whether it was refused for its time alone: then the answer, which is signed, has the right one. */
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
    // Calls carry customers' passwords: a URL that was mistyped must not undo what certificates are for.
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

/** The other side understood the call and says no. */
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

/** A host or gateway that answers something else than JSON of a sensible shape did not answer. */
function answerValue({ body }: Answer, url: URL): unknown {
  try {
    return body.length > 0 ? parseBoundedJson(body.toString()) : undefined;
  } catch (cause) {
    throw new UnreachableError(`${url.origin} gave an answer that cannot be read`, { cause });
  }
}

class StaleConnection extends UnreachableError {}

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** A machine that is gone does not even refuse. */
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
      reject(new Kind(`${url.origin} cannot be reached: ${callerTrouble(error, url)}`, { cause: error }));
    };
    request.once('error', fail);
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', fail);
      response.once('end', () => {
        if (!response.complete) return fail(new Error('the answer broke off'));
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, body: Buffer.concat(chunks) });
      });
    });
  });
}
