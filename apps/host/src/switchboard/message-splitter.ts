import type { Share } from './byte-budget.ts';
import { MessageBuffer } from './message-buffer.ts';

/** More than Chromium writes. One that writes on and on without an end is not one that we started. */
const maxMessageBytes = 2 ** 30;

/** Bytes kept from the end of a message that is too large: enough to tell whose it is. */
const keptBytes = 256;

export interface MessageSink {
  /** The message is the bytes from start to end, and may change when this has returned. */
  message(bytes: Buffer, start: number, end: number): void;
  /** There was no room for a message of so many bytes. These are its last ones. */
  tooLarge(lastBytes: Buffer, length: number): void;
}

/** Chromium's side of the DevTools pipe: JSON messages, each with a zero byte after it. */
export class MessageSplitter {
  readonly #sink: MessageSink;
  readonly #begun: MessageBuffer;
  /** The last bytes so far of a message that there is no room for, and how many there were. */
  #skipped: { last: Buffer; length: number } | undefined;

  constructor(sink: MessageSink, share: Share) {
    this.#sink = sink;
    this.#begun = new MessageBuffer(share);
  }

  /** So many bytes of the chunk. Throws at a message without end. */
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
      if (this.#begun.append(chunk, start, end)) return;
      this.#skipped = { last: Buffer.alloc(0), length: this.#begun.length };
      this.#begun.clear();
    }
    const skipped = this.#skipped;
    const last = Buffer.concat([skipped.last, chunk.subarray(Math.max(start, end - keptBytes), end)]);
    skipped.last = Buffer.from(last.subarray(-keptBytes));
    skipped.length += end - start;
    if (skipped.length > maxMessageBytes) throw new Error('A message without end');
  }

  #finish(): void {
    const skipped = this.#skipped;
    this.#skipped = undefined;
    if (skipped) this.#sink.tooLarge(skipped.last, skipped.length);
    else {
      const message = this.#begun.take();
      this.#sink.message(message, 0, message.length);
    }
  }
}

/** Most messages are short, and looking at their bytes costs less than a call. */
const lookedAtBytes = 256;

/** Where the message ends that starts there; past the chunk's end where that is not in it. */
function endOf(chunk: Buffer, start: number, length: number): number {
  const near = Math.min(length, start + lookedAtBytes);
  for (let i = start; i < near; i++) if (chunk[i] === 0) return i;
  if (near === length) return length;
  const end = chunk.indexOf(0, near);
  return end === -1 || end > length ? length : end;
}
