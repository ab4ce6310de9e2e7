/** How many bytes may be held for a session: the largest message that Chromium takes, and what is usual besides. */
export const defaultBufferBytes = 256 * 2 ** 20;

/** What an object costs besides its bytes, roughly, so that many small messages are not free. */
export const overheadBytes = 256;

/** Larger memory is freed at once: it would be in use until the next garbage collection otherwise. */
const releasedBytes = 64 * 1024;

/** Who holds bytes. Each side writes its own number and reads the other's. */
type Side = 'switchboard' | 'host';
const sides = { switchboard: 0, host: 1 } as const satisfies Record<Side, number>;

/** Creates, in memory that both threads see, the counts of what each side holds for one session. */
export function newHeldBytes(): Float64Array {
  return new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT * Object.keys(sides).length));
}

/**
 * Limits the bytes that are held for one session at once: messages that are incomplete, wait to be written or wait for
 * the host, and what is reserved for viewers and files. At the limit, whoever holds the most gives up what it holds.
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

  /** What both sides hold. */
  get heldBytes(): number {
    return (this.#held[sides.switchboard] as number) + (this.#held[sides.host] as number);
  }

  /** Creates a holder's share. `giveUp` is called when others need the room, and must free nearly all of it. */
  share(giveUp?: () => void): Share {
    const share = new Share(this, giveUp);
    this.#shares.add(share);
    return share;
  }

  /** Reserves bytes until the result is disposed. Returns undefined if there is no room. */
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

  /** For shares. Makes larger holders than the one that asks give up. Returns whether there is room then. */
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

  /** Returns whether there is room for this many more, if need be because a larger holder gives up. */
  fits(bytes: number): boolean {
    return this.#budget.makeRoom(this, bytes);
  }

  /** Takes the room if there is some, and returns whether there was. */
  take(bytes: number): boolean {
    if (!this.fits(bytes)) return false;
    this.add(bytes);
    return true;
  }

  /** Counts what is in memory already, or no longer (negative). */
  add(bytes: number): void {
    this.#bytes += bytes;
    this.#budget.add(bytes);
  }

  close(): void {
    this.add(-this.#bytes);
    this.#budget.forget(this);
  }
}

/** Frees the memory of bytes that nobody uses any more. */
export function release(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer.byteLength <= releasedBytes || !(buffer instanceof ArrayBuffer)) return;
  buffer.transfer(0);
}
