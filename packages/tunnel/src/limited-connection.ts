import type { Socket } from 'node:net';
import type { ByteMeter } from './byte-meter.ts';
import { Connection } from './sockets/connection.ts';
import { ConnectionClosed, isReset } from './sockets/owned-socket.ts';

/** How long a half-closed tunnel may be idle. */
const halfClosedIdleMs = 300_000;

/** A connection whose bytes are checked against a limit before they are passed on, either way. */
export class LimitedConnection extends Connection {
  readonly #meter: ByteMeter;
  readonly #onExceeded: () => void;

  /** `onExceeded` closes this connection and all others that share the limit. */
  constructor(socket: Socket, meter: ByteMeter, onExceeded: () => void) {
    super(socket);
    this.#meter = meter;
    this.#onExceeded = onExceeded;
  }

  override get isChecked(): boolean {
    return true;
  }

  override async read(max?: number): Promise<Buffer | undefined> {
    const bytes = await super.read(max);
    if (this.#meter.isExceeded) this.#cut();
    return bytes;
  }

  override async write(data: string | Buffer): Promise<void> {
    // Text is written in latin1, a byte for each character.
    if (!this.#meter.allows(data.length)) this.#cut();
    return super.write(data);
  }

  #cut(): never {
    this.#onExceeded();
    throw new ConnectionClosed();
  }
}

/** Carries a tunnel in awaited steps, so that a `LimitedConnection` can check them. `join` is faster and asks nobody. */
export async function joinInSteps(one: Connection, other: Connection): Promise<void> {
  other.slice = one.slice;
  await Promise.all([copy(one, other), copy(other, one)]);
}

async function copy(from: Connection, to: Connection): Promise<void> {
  try {
    for (let bytes = await from.read(); bytes; bytes = await from.read()) {
      const wait = from.slice.next();
      if (wait) await wait;
      await to.write(bytes);
    }
    to.idleTimeout(halfClosedIdleMs);
    to.socket.end();
  } catch (error) {
    for (const side of [from, to]) {
      if (isReset(error)) side.reset();
      else side.closeAfterWrites();
    }
  }
}
