import type { RecordedEvent } from '@turnpike/contract/recording';
import type { Recording } from '@turnpike/contract/recording-answers';
import { errorTimes, nextRange, type PicturePlace } from './moments.ts';
import type { RecordingSource } from './recording-source.ts';
import { emptyRows, type Rows, rowsOf } from './rows.ts';

/** What the player shows. A new object after every change. */
export interface RecordingView {
  recording: Recording | undefined;
  /** What is loaded, in order. */
  events: readonly RecordedEvent[];
  rows: Rows;
  errors: readonly number[];
  /** From 0 to 1. */
  loadedShare: number;
  error: Error | undefined;
}

/** How often a recording that is being made is asked for what is new. */
const pollMs = 1000;
/** The rest is loaded when the first picture is there, or after this time. */
const maxPictureWaitMs = 3000;
const retryMs = 3000;
/** How much of the time may go into joining events while they are loaded. */
const maxShareOfTime = 0.1;

interface Batch {
  from: number;
  events: readonly RecordedEvent[];
}

/** Loads a recording by parts: its index, what is looked at, and the rest behind it. */
export class RecordingStore {
  readonly #source: RecordingSource;
  readonly #closed = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #pictureShown = Promise.withResolvers<void>();
  readonly #loaded = new Set<number>();
  #batches: Batch[] = [];
  #t = 0;
  #isLoading = false;
  #joinedAt = 0;
  #joinMs = 0;
  #view: RecordingView = {
    recording: undefined,
    events: [],
    rows: emptyRows(),
    errors: [],
    loadedShare: 0,
    error: undefined,
  };

  constructor(source: RecordingSource) {
    this.#source = source;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly view = (): RecordingView => this.#view;

  /**
   * Loads the index and what is at the moment; undefined means at the beginning or, while it is recorded, at the end.
   */
  async open(t: number | undefined): Promise<void> {
    this.#change({ error: undefined });
    try {
      const recording = await this.#source.index(undefined, this.#closed.signal);
      this.#t = t ?? (recording.state === 'recording' ? recording.durationMs : 0);
      this.#change({ recording });
      if (recording.state === 'recording') void this.#poll();
      void this.#load();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Loads what is at this moment first. */
  look(t: number): void {
    this.#t = t;
  }

  /** Says that the first picture is there: the rest may come now. */
  pictureShown(): void {
    this.#pictureShown.resolve();
  }

  picture(place: PicturePlace): Promise<string> {
    return this.#source.picture(place, this.#closed.signal);
  }

  close(): void {
    this.#closed.abort();
    this.#listeners.clear();
  }

  async #load(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    try {
      for (let range = this.#next(); range && !this.#closed.signal.aborted; range = this.#next()) {
        if (!range.isNear) {
          await Promise.race([this.#pictureShown.promise, this.#wait(maxPictureWaitMs)]);
          // What is looked at may have changed.
          if (this.#next()?.isNear) continue;
        }
        const events = await this.#source.events(range, this.#closed.signal);
        for (let chunk = range.from; chunk <= range.to; chunk++) this.#loaded.add(chunk);
        this.#batches.push({ from: range.from, events });
        this.#join(range.isNear);
        if (this.#view.error) this.#change({ error: undefined });
      }
      this.#isLoading = false;
    } catch (error) {
      this.#isLoading = false;
      if (!this.#fail(error)) return;
      await this.#wait(retryMs);
      void this.#load();
    }
  }

  #next() {
    return nextRange(this.#view.recording?.chunks ?? [], this.#t, (chunk) => this.#loaded.has(chunk));
  }

  /** Joins what is loaded to rows, unless that was just done and would slow the page down. */
  #join(isUrgent: boolean): void {
    const isDue = performance.now() - this.#joinedAt > this.#joinMs / maxShareOfTime;
    const chunks = this.#view.recording?.chunks ?? [];
    const loadedShare = chunks.length === 0 ? 1 : this.#loaded.size / chunks.length;
    if (!isUrgent && !isDue && this.#next()) return;
    const begun = performance.now();
    this.#batches.sort((a, b) => a.from - b.from);
    const events = this.#batches.flatMap((batch) => batch.events);
    if (this.#batches.length > 0) this.#batches = mergeNeighbours(this.#batches);
    const rows = rowsOf(events);
    const errors = errorTimes(chunks, rows.errors, (chunk) => this.#loaded.has(chunk));
    this.#joinedAt = performance.now();
    this.#joinMs = this.#joinedAt - begun;
    this.#change({ events, rows, errors, loadedShare });
  }

  /** Asks for what is new while the page is visible. */
  async #poll(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted && this.#view.recording?.state === 'recording') {
      await this.#wait(pollMs);
      if (document.visibilityState === 'hidden') continue;
      const before = this.#view.recording;
      try {
        const later = await this.#source.index(before.chunks.at(-1)?.index, signal);
        this.#change({
          recording: { ...later, chunks: [...before.chunks, ...later.chunks] },
          error: undefined,
        });
        void this.#load();
      } catch (error) {
        this.#fail(error);
      }
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#closed.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Returns whether to go on: the page is still there. */
  #fail(error: unknown): boolean {
    if (this.#closed.signal.aborted) return false;
    this.#change({ error: error instanceof Error ? error : new Error(String(error)) });
    return true;
  }

  #change(changes: Partial<RecordingView>): void {
    if (this.#closed.signal.aborted) return;
    this.#view = { ...this.#view, ...changes };
    if (changes.recording && !changes.errors) {
      const { rows, recording } = this.#view;
      const errors = errorTimes(recording?.chunks ?? [], rows.errors, (chunk) => this.#loaded.has(chunk));
      this.#view = { ...this.#view, errors };
    }
    for (const listener of this.#listeners) listener();
  }
}

/** Keeps batches of a live recording from becoming thousands: all in a row become one. */
function mergeNeighbours(batches: readonly Batch[]): Batch[] {
  if (batches.length < 200) return [...batches];
  const half = Math.floor(batches.length / 2);
  const [early, late] = [batches.slice(0, half), batches.slice(half)];
  return [{ from: early[0]?.from ?? 0, events: early.flatMap(({ events }) => events) }, ...late];
}
