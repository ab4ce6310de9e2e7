import type { Share } from '../../memory/byte-budget.ts';
import { MessageBuffer } from '../channel/message-buffer.ts';
import { firstBytes, lastBytes } from './large-pause.ts';

/** More than Chromium writes. A browser that sends a longer message has been taken over. */
const maxMessageBytes = 2 ** 30;

export interface MessageSink {
  /** Takes the message from start to end. The bytes may change afterwards. */
  message(bytes: Buffer, start: number, end: number): void;
  /** There was no room for a message of this length. Takes its last bytes, which say whose it is, and its first. */
  tooLarge(last: Buffer, length: number, first: Buffer): void;
}

/** What is kept of a message that there is no room for. */
interface Skipped {
  first: Buffer;
  last: Buffer;
  length: number;
}

/** Splits what Chromium writes to its DevTools pipe: JSON messages, each followed by a zero byte. */
export class MessageSplitter {
  readonly #sink: MessageSink;
  readonly #begun: MessageBuffer;
  /** A message that there is no room for, so far. */
  #skipped: Skipped | undefined;

  constructor(sink: MessageSink, share: Share) {
    this.#sink = sink;
    this.#begun = new MessageBuffer(share);
  }

  /** Reads the first `length` bytes of the chunk. Throws when a message has no end. */
  read(chunk: Buffer, length: number): void {
    let start = 0;
    for (let end = endOf(chunk, 0, length); end < length; end = endOf(chunk, start, length)) {
      if (this.#begun.length === 0 && !this.#skipped) this.#sink.message(chunk, start, end);
      else {
        this.#keep(chunk, start, end);
        this.#finish();
      }
      start = end + 1;
    }
    if (start < length) this.#keep(chunk, start, length);
  }

  /** Nothing more comes. */
  close(): void {
    this.#begun.clear();
    this.#skipped = undefined;
  }

  #keep(chunk: Buffer, start: number, end: number): void {
    if (!this.#skipped) {
      const { length } = this.#begun;
      if (this.#begun.append(chunk, start, end)) return;
      this.#skipped = {
        first: this.#begun.first(Math.min(length, firstBytes)),
        last: Buffer.alloc(0),
        length,
      };
      this.#begun.clear();
    }
    const skipped = this.#skipped;
    const wanted = firstBytes - skipped.first.length;
    if (wanted > 0) {
      skipped.first = Buffer.concat([skipped.first, chunk.subarray(start, Math.min(end, start + wanted))]);
    }
    const last = Buffer.concat([skipped.last, chunk.subarray(Math.max(start, end - lastBytes), end)]);
    skipped.last = Buffer.from(last.subarray(-lastBytes));
    skipped.length += end - start;
    if (skipped.length > maxMessageBytes) throw new Error('The browser sent a message without end');
  }

  #finish(): void {
    const skipped = this.#skipped;
    this.#skipped = undefined;
    if (skipped) this.#sink.tooLarge(skipped.last, skipped.length, skipped.first);
    else {
      const message = this.#begun.take();
      this.#sink.message(message, 0, message.length);
    }
  }
}

/** Up to this length a loop is faster than a call of `indexOf`, and most messages are short. */
const maxLoopBytes = 256;

/** Returns where the message ends that starts at `start`; `length` if that is not in this chunk. */
function endOf(chunk: Buffer, start: number, length: number): number {
  const near = Math.min(length, start + maxLoopBytes);
  for (let i = start; i < near; i++) if (chunk[i] === 0) return i;
  if (near === length) return length;
  const end = chunk.indexOf(0, near);
  return end === -1 || end > length ? length : end;
}
