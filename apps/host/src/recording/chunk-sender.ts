import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ChunkSummary, RecordingSink } from '@turnpike/contract/recording';
import { abortable } from '@turnpike/process/abortable';
import { within } from '@turnpike/process/within';
import type { Logger } from 'pino';
import { hrtimeMs } from '../native/hrtime.ts';

/** A chunk whose events are lines of text. */
export interface SealedChunk {
  index: number;
  lines: readonly string[];
  /** How many characters the lines have. */
  bytes: number;
  pictures: readonly Buffer[];
  pictureBytes: number;
  summary: ChunkSummary;
  isLast: boolean;
}

interface PackedChunk extends Omit<SealedChunk, 'lines'> {
  events: Promise<Buffer>;
}

interface ChunkSenderOptions {
  sink: RecordingSink;
  sessionId: string;
  /** By `hrtimeMs`. */
  startedAt: number;
  logger: Logger;
  /** Makes the text of a chunk. */
  scrub(lines: readonly string[]): Promise<Buffer>;
  /** Called when no more chunks are taken. */
  onStopped(): void;
}

const attemptTimeoutMs = 10_000;
const [firstPauseMs, longestPauseMs] = [250, 4000];
/** How many failures in a row are logged. They go on for as long as the storage is away. */
const loggedFailures = 5;

const compress = promisify(gzip);

/** Sends chunks one after the other. Repeats one that cannot be stored now. */
export class ChunkSender {
  readonly #options: ChunkSenderOptions;
  readonly #queue: PackedChunk[] = [];
  readonly #stop = new AbortController();
  #unsentBytes = 0;
  #failures = 0;
  #sending: Promise<void> | undefined;

  constructor(options: ChunkSenderOptions) {
    this.#options = options;
  }

  get unsentBytes(): number {
    return this.#unsentBytes;
  }

  push({ lines, ...chunk }: SealedChunk): void {
    if (this.#stop.signal.aborted) return;
    const bytes = chunk.bytes + chunk.pictureBytes;
    const packed: PackedChunk = { ...chunk, bytes, events: this.#pack(lines) };
    packed.events.then(
      (events) => this.#resize(packed, events.length + chunk.pictureBytes),
      () => {}, // Where it is sent, it is known.
    );
    this.#unsentBytes += bytes;
    this.#queue.push(packed);
    this.#sending ??= this.#sendAll();
  }

  /** Resolves when all is sent or given up. */
  async finished(): Promise<void> {
    await this.#sending;
  }

  /**
   * Drops what waits behind the chunk that is being sent, to have its memory back, and returns what it was. The next
   * chunk has the index of the first that was dropped.
   */
  dropWaiting(): { index: number; dropped: ChunkSummary[] } | undefined {
    const dropped = this.#queue.splice(1);
    for (const { bytes } of dropped) this.#unsentBytes -= bytes;
    const [first] = dropped;
    return first && { index: first.index, dropped: dropped.map(({ summary }) => summary) };
  }

  giveUp(): void {
    if (this.#stop.signal.aborted) return;
    const { logger, sessionId } = this.#options;
    const chunks = this.#queue.length;
    if (chunks > 0) logger.warn({ sessionId, chunks }, 'the end of a recording was not stored');
    this.#close();
  }

  async #pack(lines: readonly string[]): Promise<Buffer> {
    return await compress(await this.#options.scrub(lines));
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      const isGoingOn = await this.#send(next);
      if (!isGoingOn) this.#close();
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
        this.#failures = 0;
        if (result !== 'stored') logger.info({ sessionId, result }, 'the recording stops');
        return result === 'stored';
      } catch (error) {
        if (this.#stop.signal.aborted) return false;
        this.#failures += 1;
        if (this.#failures <= loggedFailures)
          logger.warn(
            { sessionId, reason: (error as Error).message },
            'a part of a recording was not stored',
          );
      }
      await delay(pauseMs, undefined, { signal: this.#stop.signal }).catch(() => {});
    }
  }

  async #append({ events, bytes: _, pictureBytes: __, ...chunk }: PackedChunk) {
    const { sink, sessionId, startedAt } = this.#options;
    using bounds = within(attemptTimeoutMs, this.#stop.signal);
    const { signal } = bounds;
    const packed = await events;
    const ageMs = Math.round(hrtimeMs() - startedAt);
    return await abortable(sink.append({ ...chunk, sessionId, ageMs, events: packed }, signal), signal);
  }

  #resize(packed: PackedChunk, bytes: number): void {
    if (!this.#queue.includes(packed)) return;
    this.#unsentBytes += bytes - packed.bytes;
    packed.bytes = bytes;
  }

  #close(): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort(new Error('The recording has stopped'));
    this.#queue.length = 0;
    this.#unsentBytes = 0;
    this.#options.onStopped();
  }
}
