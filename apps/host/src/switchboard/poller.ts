import type { ChannelHandler } from './channel.ts';
import { close, createPoll, epollControl, epollWait } from './libc.ts';

const noHandler: ChannelHandler = { readable: () => {}, writable: () => {}, fail: () => {} };

const [add, remove, modify] = [1, 2, 3];
const [input, output] = [1, 4];
const maxEvents = 64;

/** `struct epoll_event` is packed on x86 only. */
const isPacked = process.arch === 'x64';
const eventBytes = isPacked ? 12 : 16;
const descriptorAt = isPacked ? 4 : 8;

/** Waits for descriptors with epoll, and calls the handler of each that is ready. */
export class Poller {
  readonly #poll = createPoll();
  readonly #events = Buffer.alloc(eventBytes * maxEvents);
  readonly #words = new Int32Array(this.#events.buffer, this.#events.byteOffset, this.#events.length / 4);
  readonly #event = Buffer.alloc(eventBytes);
  readonly #handlers: (ChannelHandler | undefined)[] = [];
  /** The epoll events that each descriptor is watched for. */
  readonly #watched: number[] = [];

  watch(
    descriptor: number,
    handler: ChannelHandler,
    { read, write }: { read: boolean; write: boolean },
  ): void {
    const wanted = (read ? input : 0) | (write ? output : 0);
    const before = this.#watched[descriptor] ?? 0;
    if (wanted === before) return;
    this.#event.writeUInt32LE(wanted, 0);
    this.#event.writeInt32LE(descriptor, descriptorAt);
    const operation = wanted === 0 ? remove : before === 0 ? add : modify;
    epollControl(this.#poll, operation as number, descriptor, this.#event);
    this.#watched[descriptor] = wanted;
    this.#handlers[descriptor] = wanted === 0 ? undefined : handler;
  }

  /** Call before a descriptor is closed: its number may be reused at once. */
  forget(descriptor: number): void {
    this.watch(descriptor, noHandler, { read: false, write: false });
  }

  wait(timeoutMs: number): void {
    const count = epollWait(this.#poll, this.#events, maxEvents, timeoutMs);
    for (let i = 0; i < count; i++) {
      const at = (i * eventBytes) / 4;
      const happened = this.#words[at] as number;
      const descriptor = this.#words[at + descriptorAt / 4] as number;
      const handler = this.#handlers[descriptor];
      if (!handler) continue;
      try {
        // Hang-ups and errors count as both: the next call says what happened.
        if ((happened & ~output) !== 0) handler.readable();
        if ((happened & ~input) !== 0) this.#handlers[descriptor]?.writable();
      } catch (error) {
        handler.fail(error);
      }
    }
  }

  close(): void {
    close(this.#poll);
  }
}
