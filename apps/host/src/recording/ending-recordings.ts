import { abortable } from '@turnpike/process/abortable';
import { within } from '@turnpike/process/within';

/** A recording whose session has ended, and whose last chunks are not stored yet. */
export interface EndingRecording {
  readonly unsentBytes: number;
  /** Drops what waits to be sent, except a chunk that says so. */
  shrink(): void;
  /** Drops everything. */
  giveUp(): void;
  /** Resolves when all is stored or given up. */
  finished(): Promise<void>;
}

/** How long a recording is tried to be stored after its session. Gateways take it for a little longer. */
const tryMs = 10 * 60_000;
/** What recordings of sessions that have ended may take of the host's memory, all of them together. */
const maxBytes = 64 * 2 ** 20;

/** The recordings of a host that have ended and are not stored, because storage or gateways are away. */
export class EndingRecordings {
  /** In the order in which they ended. */
  readonly #endings = new Set<EndingRecording>();
  readonly #shrunk = new WeakSet<EndingRecording>();

  /** Resolves when the recording is stored or given up. */
  async add(ending: EndingRecording): Promise<void> {
    this.#endings.add(ending);
    this.#fit();
    const timer = setTimeout(() => ending.giveUp(), tryMs).unref();
    await ending.finished();
    clearTimeout(timer);
    this.#endings.delete(ending);
  }

  /** Resolves when all are stored. Gives up those that are not at the deadline. */
  async drain(timeoutMs: number): Promise<void> {
    using bounds = within(timeoutMs);
    const all = Promise.all(Array.from(this.#endings, (ending) => ending.finished()));
    await abortable(all, bounds.signal).catch(() => {});
    for (const ending of this.#endings) ending.giveUp();
  }

  /** Shrinks the oldest first, and if that is not enough gives them up. */
  #fit(): void {
    for (const ending of this.#endings) {
      if (this.#bytes <= maxBytes) return;
      if (!this.#shrunk.has(ending)) ending.shrink();
      this.#shrunk.add(ending);
    }
    for (const ending of this.#endings) {
      if (this.#bytes <= maxBytes) return;
      ending.giveUp();
    }
  }

  get #bytes(): number {
    let bytes = 0;
    for (const { unsentBytes } of this.#endings) bytes += unsentBytes;
    return bytes;
  }
}
