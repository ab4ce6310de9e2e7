import type { Duplex } from 'node:stream';
import { type Channel, type ChannelHandler, channelEnded } from './channel.ts';

/** Given to the stream at once: what it buffers is not on the session's byte budget. */
const maxWriteBytes = 64 * 1024;

/** A channel on a Node stream. `run` runs each call of a handler. */
export class StreamChannel implements Channel {
  readonly #stream: Duplex;
  readonly #run: (work: () => void) => void;
  #handler: ChannelHandler | undefined;
  #wanted = { read: false, write: false };
  /** Was read from the stream, and did not fit into the buffer. */
  #unread: Buffer | undefined;
  /** Undefined if nothing has come since a read found nothing. */
  #next: 'bytes' | 'end' | undefined;
  #isScheduled = false;

  constructor(stream: Duplex, run: (work: () => void) => void) {
    this.#stream = stream;
    this.#run = run;
    const onEnd = () => {
      this.#next = 'end';
      this.#schedule();
    };
    stream.on('readable', () => {
      this.#next ??= 'bytes';
      this.#schedule();
    });
    stream.on('drain', () => this.#schedule());
    stream.on('end', onEnd);
    stream.on('error', () => {}); // A close follows.
    stream.on('close', onEnd);
    if (stream.destroyed) onEnd();
  }

  read(into: Buffer, maxBytes: number): number {
    const chunk = this.#unread ?? (this.#stream.read() as Buffer | null);
    this.#unread = undefined;
    if (!chunk) {
      if (this.#next === 'end') return channelEnded;
      this.#next = undefined;
      return 0;
    }
    const count = chunk.copy(into, 0, 0, maxBytes);
    if (count < chunk.length) this.#unread = chunk.subarray(count);
    return count;
  }

  write(bytes: Uint8Array, length: number): number {
    if (!this.#stream.writable) return channelEnded;
    if (this.#stream.writableNeedDrain) return 0;
    const count = Math.min(length, maxWriteBytes);
    this.#stream.write(Buffer.from(bytes.subarray(0, count)));
    return count;
  }

  watch(handler: ChannelHandler, wanted: { read: boolean; write: boolean }): void {
    this.#handler = handler;
    this.#wanted = wanted;
    this.#schedule();
  }

  endWriting(): void {
    this.#stream.end();
  }

  close(): void {
    this.#wanted = { read: false, write: false };
    this.#stream.destroy();
  }

  get #isReadable(): boolean {
    return this.#wanted.read && (this.#unread !== undefined || this.#next !== undefined);
  }

  get #isWritable(): boolean {
    return this.#wanted.write && !(this.#stream.writable && this.#stream.writableNeedDrain);
  }

  /** Never calls the handler from inside of one of its own calls. */
  #schedule(): void {
    if (this.#isScheduled || !(this.#isReadable || this.#isWritable)) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#run(() => this.#callHandler());
      this.#schedule();
    });
  }

  #callHandler(): void {
    try {
      if (this.#isReadable) this.#handler?.readable();
      if (this.#isWritable) this.#handler?.writable();
    } catch (error) {
      this.#handler?.fail(error);
    }
  }
}
