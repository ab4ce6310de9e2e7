import type { ChunkSummary, RecordedEvent } from '@turnpike/contract/recording';
import { hrtimeMs } from '../native/hrtime.ts';
import type { SealedChunk } from './chunk-sender.ts';

/** An event without its time. */
export type NewEvent = WithoutTime<RecordedEvent>;

/** The member of an event that names its tab, if there is one. */
export const inTab = (tab: number | undefined): { tab?: number } => (tab === undefined ? {} : { tab });
type WithoutTime<Event> = Event extends unknown ? Omit<Event, 't'> : never;

export interface NewPicture {
  jpeg: Buffer;
  tab: number;
  width: number;
  height: number;
}

interface EventLogOptions {
  /** By `hrtimeMs`. */
  startedAt: number;
  /** Bytes that are not sent yet. */
  unsentBytes(): number;
  /** Whether enough was masked for now, so that events have to be dropped. */
  isMaskSpent(): boolean;
  onSealed(chunk: SealedChunk): void;
  /** Called when something went wrong in a tab. */
  onError?(tab: number | undefined): void;
}

export const maxLineBytes = 64 * 1024;
/** A chunk's events stay below a mebibyte whether or not they can be compressed. */
const maxChunkBytes = 960 * 1024;
/** What is recorded between two ticks. A page that does more is not recorded in full. */
const maxTickBytes = 2 ** 20;
const maxPictureBytes = 512 * 1024;
const maxPictures = 8;
/** Beyond this nothing is recorded until something has been sent; pictures, before events. */
const maxUnsentBytes = 16 * 2 ** 20;
const maxUnsentWithPictures = 12 * 2 ** 20;

type Dropped = Extract<RecordedEvent, { kind: 'dropped' }>['what'];

/** The events of a recording: stamps and bounds them, and seals them into chunks. */
export class EventLog {
  readonly #options: EventLogOptions;
  readonly #dropped = new Map<Dropped, number>();
  #index = 0;
  #lines: string[] = [];
  #bytes = 0;
  #pictures: Buffer[] = [];
  #pictureBytes = 0;
  #summary = emptySummary();
  #tickBytes = 0;
  #lastAt = 0;
  #isClosed = false;

  constructor(options: EventLogOptions) {
    this.#options = options;
  }

  /** `at`: by `hrtimeMs`. Events keep the order of the calls: one that is reported late has the time of the one before. */
  add(event: NewEvent, at = hrtimeMs()): void {
    if (this.#isClosed) return;
    const what = event.kind === 'body' ? 'bodies' : 'events';
    if (this.isFull) {
      this.drop(what);
      return;
    }
    const line = this.#line(event, at);
    const bytes = Buffer.byteLength(line) + 1;
    if (bytes > maxLineBytes) this.drop(what);
    else this.#push(event, line, bytes);
  }

  /** Whether events are dropped for now. Look at it before anything is made of an event: a flood is to cost little. */
  get isFull(): boolean {
    return (
      this.#isClosed ||
      this.#tickBytes >= maxTickBytes ||
      this.#unsentBytes >= maxUnsentBytes ||
      this.#options.isMaskSpent()
    );
  }

  /** Returns whether it was recorded. */
  addPicture({ jpeg, tab, width, height }: NewPicture): boolean {
    if (this.#isClosed) return false;
    if (jpeg.length > maxPictureBytes || this.#unsentBytes >= maxUnsentWithPictures) {
      this.drop('pictures');
      return false;
    }
    if (this.#pictures.length === maxPictures) this.seal();
    const event = {
      kind: 'picture',
      tab,
      chunk: this.#index,
      picture: this.#pictures.length,
      width,
      height,
    } as const;
    const line = this.#line(event, hrtimeMs());
    this.#pictures.push(jpeg);
    this.#pictureBytes += jpeg.length;
    this.#summary.pictureTimes.push(this.#lastAt);
    this.#push(event, line, Buffer.byteLength(line) + 1, { mustStay: true });
    return true;
  }

  drop(what: Dropped, count = 1): void {
    if (count > 0) this.#dropped.set(what, (this.#dropped.get(what) ?? 0) + count);
  }

  /** Seals what there is. Call at regular times. */
  tick(): void {
    this.#tickBytes = 0;
    this.#tellDropped();
    if (this.#lines.length > 0) this.seal();
  }

  /** Seals the last chunk. Nothing is added after it. */
  close(reason: string): void {
    if (this.#isClosed) return;
    this.#tellDropped();
    this.#pushOwn({ kind: 'end', reason });
    this.#isClosed = true;
    this.seal({ isLast: true });
  }

  /** Adds nothing any more, and seals nothing. */
  abandon(): void {
    this.#isClosed = true;
    this.#begin();
  }

  seal({ isLast = false } = {}): void {
    const { pictureTimes, ...counts } = this.#summary;
    const chunk = {
      index: this.#index,
      lines: this.#lines,
      bytes: this.#bytes,
      isLast,
      pictures: this.#pictures,
      pictureBytes: this.#pictureBytes,
      summary: { ...counts, pictureTimes },
    };
    this.#index += 1;
    this.#begin();
    this.#options.onSealed(chunk);
  }

  get #unsentBytes(): number {
    return this.#options.unsentBytes() + this.#bytes + this.#pictureBytes;
  }

  #begin(): void {
    this.#lines = [];
    this.#bytes = 0;
    this.#pictures = [];
    this.#pictureBytes = 0;
    this.#summary = emptySummary();
  }

  #line(event: NewEvent, at: number): string {
    this.#lastAt = Math.max(this.#lastAt, Math.round((at - this.#options.startedAt) * 10) / 10);
    return JSON.stringify({ t: this.#lastAt, ...event });
  }

  #push(event: NewEvent, line: string, bytes: number, { mustStay = false } = {}): void {
    if (this.#bytes + bytes > maxChunkBytes && !mustStay) this.seal();
    this.#lines.push(line);
    this.#bytes += bytes;
    this.#tickBytes += bytes;
    const summary = this.#summary;
    if (summary.events === 0) summary.fromMs = this.#lastAt;
    summary.toMs = this.#lastAt;
    summary.events += 1;
    if (!isError(event)) return;
    summary.errors += 1;
    this.#options.onError?.(event.tab);
  }

  #pushOwn(event: NewEvent): void {
    const line = this.#line(event, hrtimeMs());
    this.#push(event, line, Buffer.byteLength(line) + 1);
  }

  #tellDropped(): void {
    for (const [what, count] of this.#dropped) this.#pushOwn({ kind: 'dropped', what, count });
    this.#dropped.clear();
  }
}

type MutableSummary = { -readonly [Name in keyof ChunkSummary]: ChunkSummary[Name] } & {
  pictureTimes: number[];
};

function emptySummary(): MutableSummary {
  return { fromMs: 0, toMs: 0, events: 0, errors: 0, pictureTimes: [] };
}

const errorKinds = new Set<NewEvent['kind']>(['exception', 'tab.crashed']);

function isError(event: NewEvent): boolean {
  if (errorKinds.has(event.kind)) return true;
  if (event.kind === 'request.failed') return !event.isCanceled;
  if (event.kind === 'console') return event.level === 'error';
  if (event.kind === 'response') return event.status >= 400;
  return event.kind === 'action' && event.error !== undefined;
}
