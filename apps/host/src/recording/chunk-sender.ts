import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ChunkSummary, RecordingSink } from '@turnpike/contract/recording';
import { abortable } from '@turnpike/process/abortable';
import { within } from '@turnpike/process/within';
import type { Logger } from 'pino';
import { steadyNow } from '../switchboard/steady-clock.ts';

/** A chunk whose events are text. */
export interface SealedChunk {
  index: number;
  text: string;
  pictures: readonly Buffer[];
  pictureBytes: number;
  summary: ChunkSummary;
  isLast: boolean;
}

interface PackedChunk extends Omit<SealedChunk, 'text'> {
  events: Promise<Buffer>;
  bytes: number;
}

interface ChunkSenderOptions {
  sink: RecordingSink;
  sessionId: string;
  /** By `steadyNow`. */
  startedAt: number;
  logger: Logger;
  /** Called when no more chunks are taken. */
  onStopped(): void;
}

const attemptTimeoutMs = 10_000;
const [firstPauseMs, longestPauseMs] = [250, 4000];

const compress = promisify(gzip);

/** Sends chunks one after the other. Repeats one that cannot be stored now. */
export class ChunkSender {
  readonly #options: ChunkSenderOptions;
  readonly #queue: PackedChunk[] = [];
  readonly #stop = new AbortController();
  #unsentBytes = 0;
  #sending: Promise<void> | undefined;

  constructor(options: ChunkSenderOptions) {
    this.#options = options;
  }

  get unsentBytes(): number {
    return this.#unsentBytes;
  }

  push({ text, ...chunk }: SealedChunk): void {
    if (this.#stop.signal.aborted) return;
    const packed: PackedChunk = {
      ...chunk,
      bytes: text.length + chunk.pictureBytes,
      events: compress(text).then((events) => {
        this.#resize(packed, events.length + chunk.pictureBytes);
        return events;
      }),
    };
    packed.events.catch(() => {}); // Where it is sent, it is known.
    this.#unsentBytes += packed.bytes;
    this.#queue.push(packed);
    this.#sending ??= this.#sendAll();
  }

  /** Resolves when all is sent, or at the deadline, when what is left is given up. */
  async finish(timeoutMs: number): Promise<void> {
    using bounds = within(timeoutMs);
    const sending = this.#sending ?? Promise.resolve();
    await abortable(sending, bounds.signal).catch(() => {
      const { logger, sessionId } = this.#options;
      logger.warn({ sessionId, chunks: this.#queue.length }, 'the end of a recording was not stored in time');
    });
    this.#giveUp();
    await sending;
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      const isGoingOn = await this.#send(next);
      if (!isGoingOn) this.#giveUp();
      if (this.#stop.signal.aborted) break;
      this.#queue.shift();
      this.#unsentBytes -= next.bytes;
    }
    this.#sending = undefined;
  }

  /** Returns whether there may be more. */
  async #send(chunk: PackedChunk): Promise<boolean> {
    const { logger, sessionId } = this.#options;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      if (this.#stop.signal.aborted) return false;
      try {
        const result = await this.#append(chunk);
        if (result !== 'stored') logger.info({ sessionId, result }, 'the recording stops');
        return result === 'stored';
      } catch (error) {
        if (this.#stop.signal.aborted) return false;
        logger.warn({ sessionId, reason: (error as Error).message }, 'a part of a recording was not stored');
      }
      await delay(pauseMs, undefined, { signal: this.#stop.signal }).catch(() => {});
    }
  }

  async #append({ events, bytes: _, pictureBytes: __, ...chunk }: PackedChunk) {
    const { sink, sessionId, startedAt } = this.#options;
    using bounds = within(attemptTimeoutMs, this.#stop.signal);
    const { signal } = bounds;
    const packed = await events;
    const ageMs = Math.round(steadyNow() - startedAt);
    return await abortable(sink.append({ ...chunk, sessionId, ageMs, events: packed }, signal), signal);
  }

  #resize(packed: PackedChunk, bytes: number): void {
    if (!this.#queue.includes(packed)) return;
    this.#unsentBytes += bytes - packed.bytes;
    packed.bytes = bytes;
  }

  #giveUp(): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort(new Error('The recording has stopped'));
    this.#queue.length = 0;
    this.#unsentBytes = 0;
    this.#options.onStopped();
  }
}
