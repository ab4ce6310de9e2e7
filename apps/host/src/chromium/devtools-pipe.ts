import type { Readable, Writable } from 'node:stream';
import { WriteBatch } from './write-batch.ts';

/** Takes whole messages, and is told when those that were read together are through. */
export interface MessageSink {
  message(message: Buffer): void;
  batchEnd(): void;
}

const separator = Buffer.from([0]);

/** More than Chromium writes. One that writes on and on would fill the host's memory. */
const maxMessageBytes = 2 ** 30;

/** Chromium's DevTools pipe: JSON messages, each with a zero byte after it. */
export class DevToolsPipe {
  readonly #input: Writable;
  readonly #batch: WriteBatch;
  readonly #output: Readable;
  #partial: Buffer[] = [];
  #partialBytes = 0;
  #isGathering = false;

  constructor(input: Writable, output: Readable) {
    this.#input = input;
    this.#batch = new WriteBatch(input);
    this.#output = output;
  }

  /**
   * Resolves when the browser has closed its end and everything it wrote has been delivered. A browser that
   * writes what nobody can read is cut off here: in other hands than ours, it must not take the host with it.
   */
  deliverTo(sink: MessageSink): Promise<void> {
    this.#output.on('data', (chunk: Buffer) => {
      try {
        this.#read(chunk, sink);
        sink.batchEnd();
      } catch {
        this.#output.destroy();
      }
    });
    return new Promise((resolve) => this.#output.once('close', resolve));
  }

  /** One message, and what is to go at its end. What is sent in one turn goes out in one write. */
  send(message: Buffer | string, end?: string): void {
    if (this.#batch.isEmpty && !this.#isGathering) process.nextTick(() => this.#batch.flush());
    this.#batch.add(message);
    if (end !== undefined) this.#batch.add(end);
    this.#batch.add(separator);
  }

  /** What is sent meanwhile goes out at its end. */
  gather(work: () => void): void {
    this.#isGathering = true;
    try {
      work();
    } finally {
      this.#isGathering = false;
      this.#batch.flush();
    }
  }

  get pendingBytes(): number {
    return this.#input.writableLength;
  }

  onceDrained(listener: () => void): void {
    this.#input.once('drain', listener);
  }

  #read(chunk: Buffer, sink: MessageSink): void {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      let message = chunk.subarray(start, end);
      if (this.#partial.length > 0) {
        this.#partial.push(message);
        message = Buffer.concat(this.#partial);
        this.#partial = [];
        this.#partialBytes = 0;
      }
      start = end + 1;
      sink.message(message);
    }
    if (start === chunk.length) return;
    this.#partial.push(chunk.subarray(start));
    this.#partialBytes += chunk.length - start;
    if (this.#partialBytes > maxMessageBytes) throw new Error('A message without end');
  }
}
