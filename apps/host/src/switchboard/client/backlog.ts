import { overheadBytes, type Share } from '../../memory/byte-budget.ts';

/** A client is read from until this much waits. Then the socket itself makes it wait. */
const maxWaitingBytes = 2 ** 20;

/** What a client sent: a message, or a close or an end that must come after the messages before it. */
export type BacklogItem = { type: 'text' | 'control'; bytes: Buffer } | { type: 'end' };

/** What was read from a client and has to wait, in order. Pings do not, so that the client sees a live connection. */
export class Backlog {
  readonly #share: Share;
  readonly #items: BacklogItem[] = [];
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

  add(item: BacklogItem): void {
    this.#items.push(item);
    if (item.type === 'end') this.#hasEnded = true;
    else this.#count(item.bytes.length + overheadBytes);
  }

  take(): BacklogItem | undefined {
    const item = this.#items.shift();
    if (item && item.type !== 'end') this.#count(-item.bytes.length - overheadBytes);
    return item;
  }

  /** Puts back what was taken. */
  putBack(item: Exclude<BacklogItem, { type: 'end' }>): void {
    this.#items.unshift(item);
    this.#count(item.bytes.length + overheadBytes);
  }

  clear(): void {
    this.#count(-this.#bytes);
    this.#items.length = 0;
    this.#hasEnded = false;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#share.add(bytes);
  }
}
