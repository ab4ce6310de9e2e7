import { close, createPoll, epollControl, epollWait } from '../../native/libc.ts';
import type { ChannelHandler } from '../channel/channel.ts';
import type { SessionTurn, Turns } from '../turns.ts';

const noHandler: ChannelHandler = { readable: () => {}, writable: () => {}, fail: () => {} };

const [add, remove, modify] = [1, 2, 3];
const [input, output] = [1, 4];
const maxEvents = 64;

/** `struct epoll_event` is packed on x86 only. */
const isPacked = process.arch === 'x64';
const eventBytes = isPacked ? 12 : 16;
const descriptorAt = isPacked ? 4 : 8;

/**
 * Waits for descriptors with epoll, and calls the handlers of those that are ready. One whose session has used up its
 * slice is called in a later round: epoll names a descriptor again while it is ready.
 */
export class Poller {
  readonly #poll = createPoll();
  readonly #turns: Turns;
  readonly #events = Buffer.alloc(eventBytes * maxEvents);
  readonly #words = new Int32Array(this.#events.buffer, this.#events.byteOffset, this.#events.length / 4);
  readonly #event = Buffer.alloc(eventBytes);
  readonly #handlers: (ChannelHandler | undefined)[] = [];
  /** The epoll events that each descriptor is watched for. */
  readonly #watched: number[] = [];

  constructor(turns: Turns) {
    this.#turns = turns;
  }

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

  /** Waits and handles one round. Calls `finishTurn` when it goes on to another session, and at the end. */
  wait(timeoutMs: number, finishTurn: () => void): void {
    const count = epollWait(this.#poll, this.#events, maxEvents, timeoutMs);
    this.#turns.startRound();
    let last: SessionTurn | undefined;
    for (let i = 0; i < count; i++) {
      const at = (i * eventBytes) / 4;
      const descriptor = this.#words[at + descriptorAt / 4] as number;
      const handler = this.#handlers[descriptor];
      if (!handler) continue;
      const { turn } = handler;
      // What is left of one session's work would be lost if another's held the thread until it is interrupted.
      if (turn !== last && i > 0) finishTurn();
      last = turn;
      if (turn && !this.#turns.begin(turn)) continue;
      this.#handle(descriptor, handler, this.#words[at] as number);
      if (turn) this.#turns.end(turn);
    }
    finishTurn();
  }

  #handle(descriptor: number, handler: ChannelHandler, happened: number): void {
    try {
      // Hang-ups and errors count as both: the next call says what happened.
      if ((happened & ~output) !== 0) handler.readable();
      if ((happened & ~input) !== 0) this.#handlers[descriptor]?.writable();
    } catch (error) {
      handler.fail(error);
    }
  }

  close(): void {
    close(this.#poll);
  }
}
