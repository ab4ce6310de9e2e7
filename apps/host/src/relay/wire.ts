import { Duplex } from 'node:stream';
import { callerCounters, newCounters, type Report } from '../switchboard/orders.ts';
import { type CallerEnd, Switchboard } from '../switchboard/switchboard.ts';

export interface WireStart {
  line: number;
  rootSession: string;
  descriptor: number;
  first: Uint8Array;
}

/** Who hears of what a client sends that is not a mere passing on. Each is told once, and the client waits for it. */
export interface WireListener {
  /** The session is known where the message is for one of the client's own. */
  asked(message: Buffer, session: string | undefined): void;
  slow(): void;
}

/** A client's connection, as the WebSocket sees it: all but the messages themselves, which take the thread's way. */
export class Wire extends Duplex implements CallerEnd {
  readonly #counters = newCounters(callerCounters);
  readonly #caller: number;
  #listener: WireListener | undefined;

  constructor({ line, ...start }: WireStart) {
    super({ allowHalfOpen: true });
    this.#caller = Switchboard.only.connect(line, this, { ...start, counters: this.#counters });
  }

  listenWith(listener: WireListener): void {
    this.#listener = listener;
  }

  /** Of the whole connection. */
  get bytesRead(): number {
    return this.#counters[callerCounters.bytesRead] as number;
  }

  /** Whether it is not listened to, because its browser takes no more. */
  get isHeldUp(): boolean {
    return this.#counters[callerCounters.isPaused] === 1;
  }

  get caller(): number {
    return this.#caller;
  }

  report(report: Exclude<Report, { line: number }>): void {
    if (report.tell === 'gone') this.push(null);
    else if (report.tell === 'slow') this.#listener?.slow();
    else {
      if (report.tell === 'asked') this.#listener?.asked(asBuffer(report.message), report.session);
      else this.push(asBuffer(report.bytes));
      Switchboard.only.order({ do: 'goOn', caller: this.#caller });
    }
  }

  /** A message of the client's, to a session that it has. */
  pass(message: Buffer): void {
    const copy = new Uint8Array(message);
    Switchboard.only.order({ do: 'pass', caller: this.#caller, message: copy });
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    Switchboard.only.order({ do: 'write', caller: this.#caller, bytes: new Uint8Array(chunk) });
    done();
  }

  override _final(done: () => void): void {
    Switchboard.only.order({ do: 'end', caller: this.#caller });
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    Switchboard.only.order({ do: 'drop', caller: this.#caller });
    done(error);
  }
}

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
