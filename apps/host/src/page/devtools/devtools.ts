import { connect, type Socket } from 'node:net';
import type { EventArguments, Method, Params, Result } from '../../chromium/protocol.ts';
import { PageError } from '../page-error.ts';
import type { AnswerMemory } from './answer-memory.ts';
import { type Admission, clientFrame, FrameReader } from './frame-reader.ts';
import { readMessageStart } from './message-start.ts';

/** A larger event is dropped. Nothing that a call needs to know is larger. */
const maxEventBytes = 64 * 1024;
/** This one has the headers and the certificate of the document. */
const maxResponseEventBytes = 2 ** 20;
/** A larger answer to a command that did not say so is refused. */
const maxAnswerBytes = 2 ** 20;
const maxHeadBytes = 16 * 1024;

interface Pending {
  method: string;
  maxBytes: number;
  /** Whether the answer is wanted as bytes. */
  isRaw: boolean;
  resolve(result: never): void;
  reject(error: Error): void;
}

export interface DevToolsOptions {
  /** Where the host listens for the thread. */
  socketPath: string;
  cdpId: string;
  targetId: string;
  memory: AnswerMemory;
}

type Listener = (event: never, cdpSessionId: string | undefined) => void;

/** An answer whose bytes count until it is disposed. */
export class LargeAnswer implements Disposable {
  readonly bytes: Buffer;
  readonly #free: () => void;

  constructor(bytes: Buffer, free: () => void) {
    this.bytes = bytes;
    this.#free = free;
  }

  [Symbol.dispose](): void {
    this.#free();
  }
}

/**
 * A CDP client of one page, through the relay. Commands go out at once, the first ones with the request to connect.
 * Events that nobody listens to are not parsed, and those that are too large are not even kept.
 */
export class DevTools implements Disposable {
  readonly #socket: Socket;
  readonly #memory: AnswerMemory;
  readonly #reader: FrameReader;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<string, Listener>();
  readonly #resume = () => {
    this.#reader.resume();
    this.#waitForMemory();
  };
  #head = '';
  #isOpen = false;
  #lastId = 0;
  #queued: Buffer[] = [];
  #held = 0;
  #failure: Error | undefined;
  readonly #failed = Promise.withResolvers<never>();

  constructor({ socketPath, cdpId, targetId, memory }: DevToolsOptions) {
    this.#memory = memory;
    this.#failed.promise.catch(() => {});
    this.#reader = new FrameReader({
      admit: (start, bytes) => this.#admit(start, bytes),
      onMessage: (message, isOwn) => this.#onMessage(message, isOwn),
      onPing: (payload) => this.#write(clientFrame('pong', Buffer.from(payload))),
      onClose: (code) => this.fail(closed(code)),
      onMalformed: () => this.fail(new PageError('PAGE_FAILED', 'The browser sent what is no message.')),
    });
    this.#socket = connect({ path: socketPath });
    this.#socket.on('error', () => {}); // A close follows.
    this.#socket.on('close', () => this.fail(closed(1006)));
    this.#socket.on('data', (chunk) => this.#onData(chunk));
    this.#write([Buffer.from(upgradeRequest(`/cdp/${cdpId}/page/${targetId}`), 'latin1')]);
  }

  /** Rejects when the connection ends, whatever ended it. */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  /** One listener for each event. */
  on<E extends keyof EventArguments>(event: E, listener: (...args: EventArguments[E]) => void): void {
    this.#listeners.set(event, listener as Listener);
  }

  /** `sessionId` is that of a frame of its own; undefined means the page. */
  send<M extends Method>(method: M, params: Params<M>, sessionId?: string): Promise<Result<M>> {
    return this.#command(method, params, { maxBytes: maxAnswerBytes, isRaw: false, sessionId });
  }

  /** Sends a command whose failure does not matter, or shows elsewhere. */
  tell<M extends Method>(method: M, params: Params<M>, sessionId?: string): void {
    this.send(method, params, sessionId).catch(() => {});
  }

  /** Resolves with the whole message. One that is larger rejects with `PAGE_TOO_LARGE`. */
  sendForBytes<M extends Method>(method: M, params: Params<M>, maxBytes: number): Promise<LargeAnswer> {
    return this.#command(method, params, { maxBytes, isRaw: true });
  }

  /** Ends the connection and everything that waits for an answer. */
  fail(error: Error): void {
    if (this.#failure) return;
    this.#stop(error);
    this.#socket.destroy();
  }

  /** Closes the connection in order. */
  [Symbol.dispose](): void {
    if (this.#failure) return;
    this.#write(clientFrame('close', Buffer.from([0x03, 0xe8])));
    this.#flush();
    this.#stop(new PageError('PAGE_FAILED', 'The call is over.'));
    // The other side closes it. If it does not, it is not waited for.
    this.#socket.setTimeout(closeMs, () => this.#socket.destroy());
    this.#socket.resume().end();
  }

  #stop(error: Error): void {
    this.#failure = error;
    this.#failed.reject(error);
    this.#listeners.clear();
    this.#memory.stopWaiting(this.#resume);
    this.#memory.free(this.#held);
    this.#held = 0;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  #command(
    method: string,
    params: object,
    { maxBytes, isRaw, sessionId }: { maxBytes: number; isRaw: boolean; sessionId?: string | undefined },
  ): Promise<never> {
    if (this.#failure) return Promise.reject(this.#failure);
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<never>();
    promise.catch(() => {}); // A command that is sent ahead is awaited later.
    this.#pending.set(id, { method, maxBytes, isRaw, resolve, reject });
    this.#write(clientFrame('text', Buffer.from(JSON.stringify({ id, method, params, sessionId }))));
    return promise;
  }

  /** Writes what is sent in one turn of the event loop together. */
  #write(buffers: Buffer[]): void {
    if (this.#failure) return;
    if (this.#queued.length === 0) queueMicrotask(() => this.#flush());
    this.#queued.push(...buffers);
  }

  #flush(): void {
    const queued = this.#queued;
    this.#queued = [];
    if (!this.#socket.destroyed && queued.length > 0) this.#socket.write(Buffer.concat(queued));
  }

  #onData(chunk: Buffer): void {
    if (this.#failure) return;
    let bytes = chunk;
    if (!this.#isOpen) {
      this.#head += chunk.toString('latin1');
      const end = this.#head.indexOf('\r\n\r\n');
      if (end === -1) {
        if (this.#head.length > maxHeadBytes) this.fail(closed(1006));
        return;
      }
      if (!this.#head.startsWith('HTTP/1.1 101')) {
        this.fail(refused(this.#head));
        return;
      }
      this.#isOpen = true;
      bytes = Buffer.from(this.#head.slice(end + 4), 'latin1');
    }
    this.#reader.read(bytes);
    this.#waitForMemory();
  }

  #waitForMemory(): void {
    if (this.#failure) return;
    if (!this.#reader.isWaiting) {
      this.#socket.resume();
      return;
    }
    this.#socket.pause();
    this.#memory.wait(this.#resume);
  }

  #admit(start: Buffer, bytes: number): Admission {
    const known = readMessageStart(start);
    if (known === undefined) return 'skip';
    if ('method' in known) {
      if (!this.#listeners.has(known.method)) return 'skip';
      const limit = known.method === 'Network.responseReceived' ? maxResponseEventBytes : maxEventBytes;
      return bytes <= limit ? 'take' : 'skip';
    }
    const pending = this.#pending.get(known.id);
    if (!pending) return 'skip';
    if (bytes > pending.maxBytes) {
      this.#pending.delete(known.id);
      pending.reject(tooLarge(pending.maxBytes));
      return 'skip';
    }
    if (!pending.isRaw) return 'take';
    if (!this.#memory.take(bytes)) return 'wait';
    this.#held += bytes;
    return 'take';
  }

  #onMessage(message: Buffer, isOwn: boolean): void {
    const known = readMessageStart(message);
    if (known === undefined) return;
    if ('method' in known) {
      const listener = this.#listeners.get(known.method);
      if (!listener || message.length > maxResponseEventBytes) return;
      const event = parse(message) as { params?: unknown; sessionId?: string } | undefined;
      if (event) listener(event.params as never, event.sessionId);
      return;
    }
    const pending = this.#pending.get(known.id);
    if (!pending) return;
    this.#pending.delete(known.id);
    if (pending.isRaw && !message.subarray(0, 40).includes('"error":')) {
      const held = isOwn ? message.length : 0;
      pending.resolve(
        new LargeAnswer(isOwn ? message : Buffer.from(message), () => this.#free(held)) as never,
      );
      return;
    }
    const answer = parse(message) as { result?: unknown; error?: { message?: string } } | undefined;
    if (answer?.result !== undefined) pending.resolve(answer.result as never);
    else pending.reject(new CommandError(pending.method, answer?.error?.message ?? 'no answer'));
  }

  #free(bytes: number): void {
    if (this.#held < bytes) return; // All of it is free already.
    this.#held -= bytes;
    this.#memory.free(bytes);
  }
}

/** How long the other side may take to close a connection. */
const closeMs = 2000;

/** A command that the browser refused. */
export class CommandError extends Error {
  readonly method: string;
  /** What the browser said. */
  readonly reason: string;

  constructor(method: string, reason: string) {
    super(`${method}: ${reason}`);
    this.method = method;
    this.reason = reason;
  }
}

function parse(message: Buffer): unknown {
  try {
    return JSON.parse(message.toString());
  } catch {
    return undefined;
  }
}

const upgradeRequest = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: page\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
  `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n\r\n`;

export const tooLarge = (maxBytes: number): PageError =>
  new PageError(
    'PAGE_TOO_LARGE',
    `The page's answer is larger than ${Math.floor(maxBytes / 2 ** 20)} MiB. Ask for a part of it, for example with selector, clip or pageRanges.`,
  );

/** The close codes of a session that ended are 4000 and above. */
function closed(code: number): PageError {
  if (code >= 4000) return new PageError('PAGE_CLOSED', 'The session ended during the call.');
  if (code === 1009)
    return new PageError(
      'PAGE_TOO_LARGE',
      "The page's answer does not fit into the session's buffers. Ask for a part of it.",
    );
  if (code === 1000) return new PageError('PAGE_CLOSED', 'The page closed itself, or a client closed it.');
  return new PageError('PAGE_CLOSED', 'The connection to the page ended.');
}

function refused(head: string): PageError {
  const [, status = ''] = /^HTTP\/1\.1 (\d{3})/.exec(head) ?? [];
  return status === '503'
    ? new PageError('PAGE_FAILED', 'The session has too many clients. Disconnect some of them.')
    : new PageError('PAGE_CLOSED', 'The page is closed, or its session has ended.');
}
