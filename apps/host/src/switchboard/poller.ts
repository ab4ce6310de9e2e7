import { createPoll, epollControl, epollWait } from './libc.ts';

export interface Ready {
  /** There is something to read, or its end. */
  readable(): void;
  /** There is room to write. */
  writable(): void;
  /** One of these threw: what is behind the descriptor ends, and nothing else. */
  fail(error: unknown): void;
}

const nobody: Ready = { readable: () => {}, writable: () => {}, fail: () => {} };

const [add, remove, modify] = [1, 2, 3];
const [input, output] = [1, 4];
const maxEvents = 64;

/** `struct epoll_event` is packed on x86 alone. */
const isPacked = process.arch === 'x64';
const eventBytes = isPacked ? 12 : 16;
const descriptorAt = isPacked ? 4 : 8;

/** Waits for descriptors, all that there are, and calls who is behind each that is ready. */
export class Poller {
  readonly #poll = createPoll();
  readonly #events = Buffer.alloc(eventBytes * maxEvents);
  readonly #words = new Int32Array(this.#events.buffer, this.#events.byteOffset, this.#events.length / 4);
  readonly #event = Buffer.alloc(eventBytes);
  readonly #behind: (Ready | undefined)[] = [];
  /** What each is watched for. */
  readonly #watched: number[] = [];

  watch(descriptor: number, ready: Ready, { read, write }: { read: boolean; write: boolean }): void {
    const wanted = (read ? input : 0) | (write ? output : 0);
    const before = this.#watched[descriptor] ?? 0;
    if (wanted === before) return;
    this.#event.writeUInt32LE(wanted, 0);
    this.#event.writeInt32LE(descriptor, descriptorAt);
    const operation = wanted === 0 ? remove : before === 0 ? add : modify;
    epollControl(this.#poll, operation as number, descriptor, this.#event);
    this.#watched[descriptor] = wanted;
    this.#behind[descriptor] = wanted === 0 ? undefined : ready;
  }

  /** Before it is closed: its number may be another's at once. */
  forget(descriptor: number): void {
    this.watch(descriptor, nobody, { read: false, write: false });
  }

  wait(timeoutMs: number): void {
    const count = epollWait(this.#poll, this.#events, maxEvents, timeoutMs);
    for (let i = 0; i < count; i++) {
      const at = (i * eventBytes) / 4;
      const happened = this.#words[at] as number;
      const descriptor = this.#words[at + descriptorAt / 4] as number;
      const behind = this.#behind[descriptor];
      if (!behind) continue;
      try {
        // Hang-ups and errors too are told by what the next call answers.
        if ((happened & ~output) !== 0) behind.readable();
        if ((happened & ~input) !== 0) this.#behind[descriptor]?.writable();
      } catch (error) {
        behind.fail(error);
      }
    }
  }
}
