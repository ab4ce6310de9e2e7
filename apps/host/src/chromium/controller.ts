import { randomInt } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { EventArguments, Method, Params, Result } from './protocol.ts';

/** Calls take milliseconds; this allows for a busy machine. */
const defaultTimeoutMs = 30_000;

/** The browser did not answer in time: it is busy or stopped. */
export class BrowserTimeout extends Error {}

export interface CallOptions<M extends Method> {
  /** Default: the browser itself. */
  cdpSessionId?: string | undefined;
  timeoutMs?: number;
  /** Cancels the call. */
  signal?: AbortSignal;
  /** Undoes what the call did when its result comes after it was cancelled: DevTools cannot take a command back. */
  undo?(result: Result<M>): void;
}

interface PendingCall {
  cdpSessionId: string | undefined;
  resolve(result: unknown): void;
  reject(error: Error): void;
  /** Removes its timer and its listener. */
  done(): void;
}

interface Message {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: object;
  result?: unknown;
  error?: { message: string };
}

const ignore = () => {};

/** Takes messages to the browser. */
interface Pipe {
  send(message: string): void;
}

/** The host's own DevTools connection: messages of the browser itself and of the host's own CDP sessions. */
export class Controller extends EventEmitter<EventArguments> {
  /** The host's own CDP sessions; all others belong to clients. */
  readonly sessions = new Set<string>();
  readonly #pipe: Pipe;
  readonly #pending = new Map<number, PendingCall>();
  /** Their ids by CDP session. */
  readonly #bySession = new Map<string, Set<number>>();
  // Random, because Chromium answers a client's malformed message here, under an id that the client chose.
  #nextId = randomInt(2 ** 30);
  #closed = false;

  constructor(pipe: Pipe) {
    super();
    this.#pipe = pipe;
  }

  /** Rejects with `BrowserTimeout` at the deadline, or with the signal's reason. */
  call<M extends Method>(
    method: M,
    params: Params<M>,
    { cdpSessionId, timeoutMs = defaultTimeoutMs, signal, undo }: CallOptions<M> = {},
  ): Promise<Result<M>> {
    if (this.#closed) return Promise.reject(new Error('The browser is gone'));
    if (signal?.aborted) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<Result<M>>();
    const id = this.#nextId++;
    const cancel = (error: Error) => {
      this.#take(id);
      const late = { cdpSessionId, resolve: undo as PendingCall['resolve'], reject: ignore, done: ignore };
      if (undo) this.#add(id, late);
      reject(error);
    };
    const abort = () => cancel(signal?.reason as Error);
    const timer = setTimeout(
      () => cancel(new BrowserTimeout(`The browser did not answer ${method} within ${timeoutMs} ms`)),
      timeoutMs,
    ).unref();
    signal?.addEventListener('abort', abort, { once: true });
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    this.#add(id, { cdpSessionId, resolve: resolve as PendingCall['resolve'], reject, done });
    this.#pipe.send(JSON.stringify({ id, method, params, sessionId: cdpSessionId }));
    return promise;
  }

  receive(text: string): void {
    const message = JSON.parse(text) as Message;
    // A message of a client that has disconnected.
    if (message.sessionId !== undefined && !this.sessions.has(message.sessionId)) return;
    if (message.method !== undefined) {
      const event = message.method as 'Target.targetCreated';
      this.emit(event, message.params as EventArguments[typeof event][0], message.sessionId);
      return;
    }
    const pending = this.#take(message.id ?? -1);
    if (pending === undefined) return;
    if (message.error) pending.reject(new Error(message.error.message));
    else pending.resolve(message.result);
  }

  /** Rejects the calls of a CDP session that has ended: nobody will answer them. */
  sessionEnded(cdpSessionId: string): void {
    this.sessions.delete(cdpSessionId);
    for (const id of this.#bySession.get(cdpSessionId) ?? [])
      this.#take(id)?.reject(new Error('The target is gone'));
  }

  close(): void {
    this.#closed = true;
    for (const id of this.#pending.keys()) this.#take(id)?.reject(new Error('The browser is gone'));
  }

  #add(id: number, pending: PendingCall): void {
    const { cdpSessionId } = pending;
    this.#pending.set(id, pending);
    if (cdpSessionId === undefined) return;
    const ids = this.#bySession.get(cdpSessionId);
    if (ids) ids.add(id);
    else this.#bySession.set(cdpSessionId, new Set([id]));
  }

  #take(id: number): PendingCall | undefined {
    const pending = this.#pending.get(id);
    if (!pending) return undefined;
    this.#pending.delete(id);
    const { cdpSessionId = '' } = pending;
    const ids = this.#bySession.get(cdpSessionId);
    ids?.delete(id);
    if (ids?.size === 0) this.#bySession.delete(cdpSessionId);
    pending.done();
    return pending;
  }
}
