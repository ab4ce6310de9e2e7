import { Duplex } from 'node:stream';
import { asBuffer, type CallerReport, callerCounters, newCounters } from '../switchboard/orders.ts';
import type { CallerEnd, Switchboard } from '../switchboard/switchboard.ts';
import type { Refusal } from './refusals.ts';

export interface WireStart {
  switchboard: Switchboard;
  line: number;
  rootSession: string;
  descriptor: number;
  first: Uint8Array;
}

/** Who hears of what a client sends that is not a mere passing on. Each is told once, and the client waits for it. */
export interface WireListener {
  /** The session is known where the message is for one of the client's own. */
  asked(message: Buffer, session: string | undefined): void;
  /** It is heard no more, and is to be closed; where it can no longer be told why, at once. */
  refused(refusal: Refusal, canBeTold: boolean): void;
}

/** A client's connection, as the WebSocket sees it: all but the messages themselves, which take the thread's way. */
export class Wire extends Duplex implements CallerEnd {
  readonly #counters = newCounters(callerCounters);
  readonly #switchboard: Switchboard;
  readonly #caller: number;
  #listener: WireListener | undefined;

  constructor({ switchboard, line, ...start }: WireStart) {
    super({ allowHalfOpen: true });
    this.#switchboard = switchboard;
    this.#caller = switchboard.connect(line, this, { ...start, counters: this.#counters });
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

  report(report: CallerReport): void {
    if (report.tell === 'gone') this.push(null);
    else if (report.tell === 'refused') this.#listener?.refused(report.refusal, report.canBeTold);
    else {
      if (report.tell === 'asked') this.#listener?.asked(asBuffer(report.message), report.session);
      else this.push(asBuffer(report.bytes));
      this.#switchboard.order({ do: 'goOn', caller: this.#caller });
    }
  }

  /** A message of the client's, to a session that it has. */
  pass(message: Buffer): void {
    const copy = new Uint8Array(message);
    this.#switchboard.order({ do: 'pass', caller: this.#caller, message: copy });
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#switchboard.order({ do: 'write', caller: this.#caller, bytes: new Uint8Array(chunk) });
    done();
  }

  override _final(done: () => void): void {
    this.#switchboard.order({ do: 'end', caller: this.#caller });
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#switchboard.order({ do: 'drop', caller: this.#caller });
    done(error);
  }
}
