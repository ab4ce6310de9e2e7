/** Bytes that may be held for a session: room for the largest message that Chromium takes, beside what is usual. */
export const defaultBufferBytes = 256 * 2 ** 20;
export const minBufferBytes = 128 * 2 ** 20;

/** What an object costs beside its bytes, roughly: a client that sends many small things does not get them for nothing. */
export const overheadBytes = 256;

/** Past this, memory is given back by hand: until the garbage collector comes by, it would count as taken. */
const releasedBytes = 64 * 1024;

/** Whose bytes both threads see: each writes its own place and reads the other's. */
type Side = 'thread' | 'host';
const sides = { thread: 0, host: 1 } as const satisfies Record<Side, number>;

/** In memory that both threads see: the bytes that each of them holds for one session. */
export function newHeldBytes(): Float64Array {
  return new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT * Object.keys(sides).length));
}

/**
 * The bytes that may be held for one session at once: messages that are not whole yet, that wait to be written or for
 * the host, and what is set aside for viewers and files. Past it whoever holds the most gives up what it holds.
 */
export class ByteBudget {
  readonly limitBytes: number;
  readonly #held: Float64Array;
  readonly #side: Side;
  readonly #shares = new Set<Share>();

  constructor(limitBytes: number, held: Float64Array, side: Side) {
    this.limitBytes = limitBytes;
    this.#held = held;
    this.#side = side;
  }

  /** On both sides. */
  get heldBytes(): number {
    return (this.#held[sides.thread] as number) + (this.#held[sides.host] as number);
  }

  /** A holder's part. `giveUp` is called when others need the room: it is to hold next to nothing after that. */
  share(giveUp?: () => void): Share {
    const share = new Share(this, giveUp);
    this.#shares.add(share);
    return share;
  }

  /** Sets bytes aside until the result is disposed of. Undefined: there is no room. */
  reserve(bytes: number): Disposable | undefined {
    if (this.heldBytes + bytes > this.limitBytes) return undefined;
    this.add(bytes);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.add(-bytes);
        isHeld = false;
      },
    };
  }

  /** For shares. */
  add(bytes: number): void {
    const at = sides[this.#side];
    this.#held[at] = Math.max(0, (this.#held[at] as number) + bytes);
  }

  /** For shares. Makes those give up that hold more than the one that asks; false: that did not help. */
  makeRoom(asking: Share, bytes: number): boolean {
    while (this.heldBytes + bytes > this.limitBytes) {
      let largest: Share | undefined;
      for (const share of this.#shares) {
        if (share.mayGiveUp && share.bytes > (largest?.bytes ?? 0)) largest = share;
      }
      if (!largest || largest === asking || largest.bytes < asking.bytes + bytes) return false;
      largest.giveUp();
    }
    return true;
  }

  /** For shares. */
  forget(share: Share): void {
    this.#shares.delete(share);
  }
}

/** What one holder has of a session's budget. */
export class Share {
  readonly #budget: ByteBudget;
  readonly #giveUp: (() => void) | undefined;
  #bytes = 0;
  #hasGivenUp = false;

  constructor(budget: ByteBudget, giveUp: (() => void) | undefined) {
    this.#budget = budget;
    this.#giveUp = giveUp;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get mayGiveUp(): boolean {
    return this.#giveUp !== undefined && !this.#hasGivenUp;
  }

  giveUp(): void {
    this.#hasGivenUp = true;
    this.#giveUp?.();
  }

  /** Whether there is room for so many more, perhaps because another made some. */
  fits(bytes: number): boolean {
    return this.#budget.makeRoom(this, bytes);
  }

  /** Takes room where there is some. */
  take(bytes: number): boolean {
    if (!this.fits(bytes)) return false;
    this.add(bytes);
    return true;
  }

  /** For what is in memory already, and for giving back. */
  add(bytes: number): void {
    this.#bytes += bytes;
    this.#budget.add(bytes);
  }

  close(): void {
    this.add(-this.#bytes);
    this.#budget.forget(this);
  }
}

/** Gives the memory of bytes back that nobody looks at any more. */
export function release(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer.byteLength <= releasedBytes || !(buffer instanceof ArrayBuffer)) return;
  buffer.transfer(0);
}
