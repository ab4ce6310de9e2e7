import { randomInt } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { DevToolsPipe } from './devtools-pipe.ts';

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export interface TargetInfo {
  targetId: string;
  type: string;
  title: string;
  url: string;
  openerId?: string;
  parentId?: string;
}

interface ControllerEvents {
  'Target.targetCreated': [{ targetInfo: TargetInfo }];
  'Target.detachedFromTarget': [{ sessionId: string }];
}

interface Message {
  id?: number;
  method?: string;
  params?: object;
  result?: unknown;
  error?: { message: string };
}

/** The host's own conversation with the browser: the messages that belong to no session. */
export class Controller extends EventEmitter<ControllerEvents> {
  readonly #pipe: DevToolsPipe;
  readonly #pending = new Map<number, Pending>();
  // Chromium answers a client's malformed message here, under the client's own id: ours cannot be guessed.
  #nextId = randomInt(2 ** 30);
  #closed = false;

  constructor(pipe: DevToolsPipe) {
    super();
    this.#pipe = pipe;
  }

  call<Result>(method: string, params: object = {}): Promise<Result> {
    return new Promise<unknown>((resolve, reject) => {
      if (this.#closed) return reject(new Error('The browser is gone'));
      const id = this.#nextId++;
      this.#pending.set(id, { resolve, reject });
      this.#pipe.send(JSON.stringify({ id, method, params }));
    }) as Promise<Result>;
  }

  receive(text: string): void {
    const message = JSON.parse(text) as Message;
    if (message.method !== undefined) {
      this.emit(message.method as keyof ControllerEvents, message.params as never);
      return;
    }
    const pending = this.#pending.get(message.id ?? -1);
    if (pending === undefined) return;
    this.#pending.delete(message.id as number);
    if (message.error) pending.reject(new Error(message.error.message));
    else pending.resolve(message.result);
  }

  close(): void {
    this.#closed = true;
    for (const pending of this.#pending.values()) pending.reject(new Error('The browser is gone'));
    this.#pending.clear();
  }
}
