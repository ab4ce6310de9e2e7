import { overheadBytes, type Share } from '../memory/byte-budget.ts';

/** While a client is on hold it is read from until this much waits. Then the socket itself makes it wait. */
const maxWaitingBytes = 2 ** 20;

/** What a client sent while it was on hold: messages, and a close or an end that must come after them. */
export type HeldItem = { type: 'text' | 'control'; bytes: Buffer } | { type: 'end' };

/** What waits of a client that is on hold, in order. Pings are not held, so that the client sees a live connection. */
export class HeldMessages {
  readonly #share: Share;
  readonly #items: HeldItem[] = [];
  #bytes = 0;
  #hasEnded = false;

  constructor(share: Share) {
    this.#share = share;
  }

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  /** Whether nothing more is to be read for now. */
  get isFull(): boolean {
    return this.#bytes >= maxWaitingBytes || this.#hasEnded;
  }

  /** Whether these bytes of control frames must wait: a close would overtake messages. */
  mustKeep(control: Buffer): boolean {
    const isClose = ((control[0] as number) & 0x0f) === 8;
    return !this.isEmpty && (isClose || this.#items.at(-1)?.type === 'control');
  }

  add(type: 'text' | 'control', bytes: Buffer): void {
    this.#items.push({ type, bytes });
    this.#count(bytes.length + overheadBytes);
  }

  /** Keeps the end of the connection for later. */
  addEnd(): void {
    this.#items.push({ type: 'end' });
    this.#hasEnded = true;
  }

  take(): HeldItem | undefined {
    const item = this.#items.shift();
    if (item && item.type !== 'end') this.#count(-item.bytes.length - overheadBytes);
    return item;
  }

  clear(): void {
    this.#count(-this.#bytes);
    this.#items.length = 0;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#share.add(bytes);
  }
}
