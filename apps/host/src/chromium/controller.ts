import { randomInt } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { AttachedTarget, TargetInfo } from '../switchboard/targets.ts';
import type { DevToolsPipe } from './devtools-pipe.ts';

export type { AttachedTarget, TargetInfo };

/** For an answer that takes milliseconds, on a machine that is busy. Nothing waits for a browser without end. */
const answerTimeoutMs = 30_000;

/** The browser did not answer in time: it is busy, or stopped. */
export class BrowserTimeout extends Error {}

interface Pending {
  sessionId: string | undefined;
  timer: NodeJS.Timeout;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export interface PausedRequest {
  requestId: string;
  request: { headers: Record<string, string> };
}

/** A service worker's script, as `ServiceWorker.workerVersionUpdated` has it. */
export interface WorkerVersion {
  status: string;
  targetId?: string;
}

/** With each event comes the session that it is of; undefined: the browser itself. */
interface ControllerEvents {
  'Target.attachedToTarget': [AttachedTarget, sessionId: string | undefined];
  'Target.targetCreated': [{ targetInfo: TargetInfo }];
  'Target.detachedFromTarget': [{ sessionId: string }];
  'Fetch.requestPaused': [PausedRequest, sessionId: string];
  'ServiceWorker.workerVersionUpdated': [{ versions: WorkerVersion[] }];
  /** A service worker has stopped. */
  'Inspector.targetCrashed': [object, sessionId: string];
  /** It starts again, stopped before its first script. */
  'Inspector.targetReloadedAfterCrash': [object, sessionId: string];
}

interface Message {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: object;
  result?: unknown;
  error?: { message: string };
}

/** The host's own conversation with the browser: the messages that belong to no session, or to one of its own. */
export class Controller extends EventEmitter<ControllerEvents> {
  /** The host's own sessions; all others are clients'. */
  readonly sessions = new Set<string>();
  readonly #pipe: DevToolsPipe;
  readonly #pending = new Map<number, Pending>();
  // Chromium answers a client's malformed message here, under the client's own id: ours cannot be guessed.
  #nextId = randomInt(2 ** 30);
  #closed = false;

  constructor(pipe: DevToolsPipe) {
    super();
    this.#pipe = pipe;
  }

  call<Result>(
    method: string,
    params: object = {},
    sessionId?: string,
    timeoutMs = answerTimeoutMs,
  ): Promise<Result> {
    return new Promise<unknown>((resolve, reject) => {
      if (this.#closed) return reject(new Error('The browser is gone'));
      const id = this.#nextId++;
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new BrowserTimeout(`The browser did not answer ${method} within ${timeoutMs} ms`));
      }, timeoutMs).unref();
      this.#pending.set(id, { sessionId, timer, resolve, reject });
      this.#pipe.send(JSON.stringify({ id, method, params, sessionId }));
    }) as Promise<Result>;
  }

  receive(text: string): void {
    const message = JSON.parse(text) as Message;
    // Of a client that has gone.
    if (message.sessionId !== undefined && !this.sessions.has(message.sessionId)) return;
    if (message.method !== undefined) {
      this.emit(
        message.method as 'Target.attachedToTarget',
        message.params as AttachedTarget,
        message.sessionId,
      );
      return;
    }
    const pending = this.#take(message.id ?? -1);
    if (pending === undefined) return;
    if (message.error) pending.reject(new Error(message.error.message));
    else pending.resolve(message.result);
  }

  /** Of a session that is no more nothing will be answered. */
  sessionEnded(sessionId: string): void {
    this.sessions.delete(sessionId);
    for (const [id, pending] of this.#pending) {
      if (pending.sessionId === sessionId) this.#take(id)?.reject(new Error('The target is gone'));
    }
  }

  close(): void {
    this.#closed = true;
    for (const id of this.#pending.keys()) this.#take(id)?.reject(new Error('The browser is gone'));
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    clearTimeout(pending?.timer);
    return pending;
  }
}
