import type { SessionTurn } from '../turns.ts';

/** What `read` and `write` return when the other end is gone. */
export const channelEnded = -1;

/** What a channel calls when there is something to do. */
export interface ChannelHandler {
  /** Whose time it takes; undefined means the host's. */
  readonly turn?: SessionTurn;
  /** There is something to read, or the end. */
  readable(): void;
  /** There is room to write, or the other end is gone. */
  writable(): void;
  /** One of these threw. Ends what the channel belongs to, and nothing else. */
  fail(error: unknown): void;
}

/** One end of a pipe or a socket that never blocks. Reading stops while nobody watches: that is the backpressure. */
export interface Channel {
  /** Returns how many bytes were read into the buffer, at most `maxBytes`; 0: nothing is there now. */
  read(into: Buffer, maxBytes: number): number;
  /** Returns how many of the first `length` bytes were taken. The caller may change the bytes afterwards. */
  write(bytes: Uint8Array, length: number): number;
  watch(handler: ChannelHandler, wanted: { read: boolean; write: boolean }): void;
  /** Lets the other end read the end of the stream. */
  endWriting(): void;
  close(): void;
}
