import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type DriverAnswer, type DriverCall, maxDriverAnswerBytes } from '@turnpike/contract/host';
import type { ScriptAnswer, ScriptCall } from '@turnpike/contract/page/script';
import type { ProtocolName } from '@turnpike/contract/protocols';
import { within } from '@turnpike/process/within';
import { endSocket } from '@turnpike/tunnel/sockets/end-socket';
import type { Logger } from 'pino';
import { type Answer, refuse, send, unanswered } from '../relay/answers.ts';
import { TooManyClients } from '../relay/relay.ts';
import { type DevToolsOptions, DevToolsServer } from './devtools-server.ts';
import { type DriverObserver, DriverWatch } from './driver-watch.ts';
import { isOnlyPings } from './only-pings.ts';
import { driverError, inProtocol, notStarted } from './own-answers.ts';
import type { Program } from './program.ts';
import type { ChosenProgram } from './protocol.ts';
import { protocols } from './protocols.ts';
import { runScript, scriptFailed, scriptLate } from './script/run-script.ts';
import { scriptProgram } from './script/script-program.ts';
import { Worker } from './worker.ts';

/** A request to a session, by another protocol than CDP. */
export interface ProtocolTarget {
  protocol: ProtocolName;
  /** The session's CDP id. */
  secret: string;
  /** The path for the worker, with its query. */
  path: string;
}

/** Returns undefined for a URL of another kind. */
export function protocolTarget(url: string): ProtocolTarget | undefined {
  const [start = '', name = '', secret = ''] = /^\/(\w+)\/([^/?]+)/.exec(url) ?? [];
  if (!Object.hasOwn(protocols, name)) return undefined;
  const path = url.slice(start.length);
  return { protocol: name as ProtocolName, secret, path: path.startsWith('/') ? path : `/${path}` };
}

/** Each client, and each request that waits, costs the host two descriptors and memory. */
const maxClients = 64;

/** Commands that pass through a gateway. The host has their answers in memory, and WebDriver sends one at a time. */
const maxDriverCalls = 4;

const startTimeoutMs = 30_000;
const connectTimeoutMs = 10_000;
/** The connections of a process that is killed close one after the other. */
const endingMs = 1000;

export interface SessionProtocolsOptions extends DevToolsOptions {
  /** The secret in the session's addresses. */
  cdpId: string;
  /** Called when clients send something. */
  onUse(): void;
  logger: Pick<Logger, 'warn'>;
  /** Hears what clients ask over WebDriver. */
  driverObserver?: DriverObserver | undefined;
}

/** The clients of one session that speak another protocol than CDP, and the workers that serve them. */
export class SessionProtocols {
  readonly #options: SessionProtocolsOptions;
  readonly #workers = new Map<string, Promise<Worker>>();
  readonly #agents = new Map<Worker, http.Agent>();
  readonly #clients = new Set<{ end(frame: Buffer): void }>();
  readonly #closed = new AbortController();
  #devtools: DevToolsServer | undefined;
  /** That are not answered yet. */
  #requests = 0;
  /** That came through a gateway and are not answered yet. */
  #driverCalls = 0;
  #hasScript = false;
  #traffic = 0;

  constructor(options: SessionProtocolsOptions) {
    this.#options = options;
  }

  /** Grows with what clients send. */
  get traffic(): number {
    return this.#traffic;
  }

  /** Connects a client's WebSocket to the worker of its protocol. */
  async upgrade(
    target: ProtocolTarget,
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): Promise<void> {
    if (this.#clients.size >= maxClients) return refuse(socket, unanswered(new TooManyClients()));
    const client = { end: (frame: Buffer) => endSocket(socket, frame) };
    this.#clients.add(client);
    const upstream = await this.#connectClient(target, request, socket, head);
    if ('status' in upstream || socket.destroyed) {
      this.#clients.delete(client);
      if ('status' in upstream) return refuse(socket, upstream);
      upstream.destroy();
      return;
    }
    const { presence } = this.#options.session.relay;
    presence.connected();
    const onClosed = () => {
      if (!this.#clients.delete(client)) return;
      presence.disconnected();
      socket.destroy();
      upstream.destroy();
    };
    socket.on('data', (chunk: Buffer) => {
      if (!isOnlyPings(chunk)) this.#count(chunk.length);
    });
    socket.pipe(upstream);
    upstream.pipe(socket, { end: false });
    socket.once('close', onClosed);
    upstream.once('close', () => {
      // When the session ends, the client is told why before its connection closes.
      if (!this.#closed.signal.aborted) onClosed();
    });
  }

  /** Passes a request to the worker of its protocol, and its answer back. */
  async respond(target: ProtocolTarget, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refused = (answer: Answer) => send(response, inProtocol(target.protocol, answer));
    if (this.#requests >= maxClients) return refused(unanswered(new TooManyClients()));
    const { presence } = this.#options.session.relay;
    this.#requests += 1;
    presence.connected();
    response.once('close', () => {
      this.#requests -= 1;
      presence.disconnected();
    });
    const worker = await this.#workerFor(target.protocol, request);
    if (!(worker instanceof Worker)) return refused(worker);
    this.#count(1);
    const { method } = request;
    const headers = { ...request.headers, 'x-forwarded-proto': schemeOf(request) };
    const upstream = http.request({ agent: this.#agentOf(worker), method, path: target.path, headers });
    response.once('close', () => upstream.destroy());
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      upstream.once('response', resolve);
      upstream.on('error', reject);
    });
    const { driverObserver } = this.#options;
    const watch =
      driverObserver && target.protocol === 'webdriver' ? new DriverWatch(driverObserver) : undefined;
    watch?.request(request, target.path);
    // Not a pipeline, which would end the client's connection when the worker ends.
    request.pipe(upstream);
    try {
      const answer = await answered;
      watch?.answer(answer);
      answer.on('error', () => {}); // A close follows.
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      await pipeline(answer, response);
    } catch {
      if (response.headersSent) response.destroy();
      else refused(notStarted);
    }
  }

  /** Passes on a command of WebDriver that came through a gateway. */
  async callDriver(
    { method, path, body = '' }: DriverCall,
    publicUrl: string,
    signal: AbortSignal,
  ): Promise<DriverAnswer> {
    const { host, protocol } = new URL(publicUrl);
    const headers = {
      host,
      'x-forwarded-proto': protocol === 'wss:' ? 'https' : 'http',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    if (this.#driverCalls >= maxDriverCalls) return driverError('Too many commands of this session wait.');
    using _ = this.#countDriverCall();
    const worker = await this.#workerFor('webdriver', { headers: { host } });
    if (!(worker instanceof Worker)) return driverError(String(worker.body));
    this.#count(1);
    const heard = this.#options.driverObserver?.asked({ method, path, body: body.slice(0, 64 * 1024) });
    const upstream = http.request({ agent: this.#agentOf(worker), method, path, headers, signal });
    try {
      const answered = once(upstream, 'response', { signal }) as Promise<[IncomingMessage]>;
      upstream.on('error', () => {}); // The answer rejects with it.
      upstream.end(body);
      const [answer] = await answered;
      const { statusCode = 500 } = answer;
      const text = await readText(answer);
      heard?.(statusCode, text.slice(0, 4096));
      return { status: statusCode, body: text };
    } catch (error) {
      return driverError(`The driver did not answer: ${(error as Error).message}`);
    }
  }

  /** Runs a script in a worker of its own. Returns undefined if the session ends meanwhile. */
  async runScript(call: ScriptCall, signal: AbortSignal): Promise<ScriptAnswer | undefined> {
    if (this.#hasScript) return scriptFailed('This session runs a script already.');
    this.#hasScript = true;
    const { browser, relay } = this.#options.session;
    relay.presence.connected();
    using bounds = within(call.timeoutMs, signal, this.#closed.signal);
    let worker: Worker | undefined;
    try {
      worker = await this.#startWorker(scriptProgram, {}, bounds.signal);
      return await runScript(worker, call, browser.pipe.budget, bounds.signal);
    } catch (error) {
      signal.throwIfAborted();
      if (this.#closed.signal.aborted) return undefined;
      if (bounds.isLate) return scriptLate(call);
      this.#options.logger.warn({ err: error, kind: call.kind }, 'a script did not start');
      return scriptFailed('The process of the script did not start. Try again.');
    } finally {
      worker?.end();
      relay.presence.disconnected();
      this.#hasScript = false;
    }
  }

  #countDriverCall(): Disposable {
    const { presence } = this.#options.session.relay;
    this.#driverCalls += 1;
    presence.connected();
    return {
      [Symbol.dispose]: () => {
        this.#driverCalls -= 1;
        presence.disconnected();
      },
    };
  }

  /** Closes the clients' WebSockets with a close frame. Call it when the browser, and so its workers, are gone. */
  close(code: number, reason: string): void {
    const text = Buffer.from(reason);
    const frame = Buffer.concat([Buffer.from([0x88, text.length + 2, code >> 8, code & 0xff]), text]);
    for (const client of this.#clients) client.end(frame);
  }

  /** Starts no worker any more. */
  stop(): void {
    this.#closed.abort(new Error('The session has ended'));
    for (const agent of this.#agents.values()) agent.destroy();
  }

  /** Returns the worker for a request, which starts with the first one; or the answer that refuses it. */
  async #workerFor(
    protocol: ProtocolName,
    request: Pick<IncomingMessage, 'headers'>,
  ): Promise<Worker | Answer> {
    const chosen = protocols[protocol](request);
    if ('status' in chosen) return chosen;
    const { name, program, options } = chosen;
    let starting = this.#workers.get(name);
    if (!starting) {
      starting = this.#start(name, { program, options });
      this.#workers.set(name, starting);
    }
    try {
      return await starting;
    } catch (error) {
      if (!this.#closed.signal.aborted)
        this.#options.logger.warn({ err: error, protocol: name }, 'a worker did not start');
      return notStarted;
    }
  }

  async #start(
    name: string,
    { program, options }: Pick<ChosenProgram, 'program' | 'options'>,
  ): Promise<Worker> {
    using bounds = within(startTimeoutMs, this.#closed.signal);
    try {
      const { cdpId } = this.#options;
      const worker = await this.#startWorker(program, { ...options, cdpId }, bounds.signal);
      void worker.ended.then(() => this.#forget(name, worker));
      return worker;
    } catch (error) {
      this.#workers.delete(name);
      throw error;
    }
  }

  async #startWorker(
    program: Program,
    options: Record<string, string>,
    signal: AbortSignal,
  ): Promise<Worker> {
    this.#devtools ??= new DevToolsServer(this.#options);
    const devtools = this.#devtools;
    const { browser } = this.#options.session;
    const onDevTools = (socket: Socket) => devtools.serve(socket);
    return await Worker.start({ browser, program, options, onDevTools }, signal);
  }

  /** The next request starts a new one. */
  #count(sent: number): void {
    this.#traffic += sent;
    this.#options.onUse();
  }

  #forget(name: string, worker: Worker): void {
    this.#workers.delete(name);
    this.#agents.get(worker)?.destroy();
    this.#agents.delete(worker);
  }

  /**
   * Passes the client's request to a worker. Resolves when the answer begins. A worker that ends at this moment is
   * replaced, once.
   */
  async #connectClient(
    target: ProtocolTarget,
    request: IncomingMessage,
    client: Duplex,
    head: Buffer,
  ): Promise<Socket | Answer> {
    for (let attempts = 0; attempts < 2 && !client.destroyed; attempts += 1) {
      const worker = await this.#workerFor(target.protocol, request);
      if (!(worker instanceof Worker)) return worker;
      const upstream = await this.#connect(worker);
      if (!upstream) worker.end();
      else if (await answers(upstream, client, [requestHead(request, target.path), head])) return upstream;
      else if (!(await endsNow(worker))) return notStarted;
      await worker.ended;
    }
    return notStarted;
  }

  async #connect(worker: Worker): Promise<Socket | undefined> {
    using bounds = within(connectTimeoutMs, this.#closed.signal);
    try {
      return await worker.connectClient(bounds.signal);
    } catch {
      return undefined; // It has ended.
    }
  }

  #agentOf(worker: Worker): http.Agent {
    const known = this.#agents.get(worker);
    if (known) return known;
    const agent = new http.Agent({ keepAlive: true, maxSockets: maxClients, maxFreeSockets: 4 });
    agent.createConnection = (_options, created) => {
      void this.#connect(worker).then((socket) =>
        socket ? created?.(null, socket) : created?.(new Error('The worker has ended'), undefined as never),
      );
      return undefined;
    };
    this.#agents.set(worker, agent);
    return agent;
  }
}

/** Whether a worker begins to answer. Its client waits for that before it sends more. */
async function answers(upstream: Socket, client: Duplex, request: (string | Buffer)[]): Promise<boolean> {
  const leave = () => upstream.destroy();
  client.once('close', leave);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  upstream.once('readable', () => resolve(upstream.readableLength > 0));
  upstream.once('close', () => resolve(false));
  for (const part of request) upstream.write(part);
  if (client.destroyed) leave();
  const isAnswered = await promise;
  client.off('close', leave);
  if (!isAnswered) upstream.destroy();
  return isAnswered;
}

/** Whether a worker that has dropped a client is about to end. */
const endsNow = (worker: Worker): Promise<boolean> =>
  Promise.race([worker.ended.then(() => true), delay(endingMs, false, { ref: false })]);

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += chunk.length;
    if (bytes > maxDriverAnswerBytes) throw new Error(`it answered more than ${maxDriverAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** How the client reached this host, if a proxy in front of it does not say. */
function schemeOf({ headers, socket }: IncomingMessage): string | string[] {
  return headers['x-forwarded-proto'] ?? ('encrypted' in socket ? 'https' : 'http');
}

/** A request as it was sent, with another path. */
function requestHead({ method, rawHeaders }: IncomingMessage, path: string): string {
  const lines = [`${method} ${path} HTTP/1.1`];
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
