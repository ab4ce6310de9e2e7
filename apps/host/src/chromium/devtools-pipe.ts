import { ByteBudget, defaultBufferBytes, newHeldBytes } from '../switchboard/byte-budget.ts';
import type { ScriptIdentity } from '../switchboard/hidden-scripts.ts';
import { type LineReport, lineCounters, newCounters } from '../switchboard/orders.ts';
import { type LineEnd, Switchboard } from '../switchboard/switchboard.ts';
import type { AttachedTarget } from './protocol.ts';

/** Takes what is not only between a client and the browser. */
export interface PipeListener {
  /** Of a session that is no client's, or of none. */
  message(text: string): void;
  /** A client has a session, which waits for `release`. */
  attached(caller: number, target: AttachedTarget, parent: string): void;
  detached(caller: number, session: string): void;
}

/** Until then it need not know. */
const toldCharacters = 2 ** 18;

/** Chromium's DevTools pipe. The switchboard reads and writes it; here is what the host has to do with it. */
export class DevToolsPipe implements LineEnd {
  /** That it is on, and its number there. */
  readonly switchboard = Switchboard.only;
  readonly line: number;
  /** What may be held for the session, on this side too. */
  readonly budget: ByteBudget;
  /** Resolves when the browser has closed its end and everything it wrote has been delivered. */
  readonly ended: Promise<void>;
  readonly #counters = newCounters(lineCounters);
  readonly #end = Promise.withResolvers<void>();
  readonly #listener: PipeListener;
  #handled = 0;

  /** The descriptors are its own from here on. */
  constructor(
    { input, output }: { input: number; output: number },
    listener: PipeListener,
    bufferBytes = defaultBufferBytes,
  ) {
    this.#listener = listener;
    this.ended = this.#end.promise;
    const held = newHeldBytes();
    this.budget = new ByteBudget(bufferBytes, held, 'host');
    const counters = this.#counters;
    this.line = this.switchboard.open(this, { input, output, counters, budgetBytes: bufferBytes, held });
  }

  /** One message. What is sent in one turn goes out in one write. */
  send(message: string | Buffer): void {
    // Of a buffer that is a part of a larger one, all would be sent over.
    const own = typeof message === 'string' ? message : new Uint8Array(message);
    this.switchboard.order({ do: 'send', line: this.line, message: own });
  }

  /** A client's message to a session that it does not name: its last brace is at `end`. Nobody may use it again. */
  sendTo(session: string, message: Buffer, end: number): void {
    const isWhole = message.length === message.buffer.byteLength;
    const own = new Uint8Array(isWhole ? (message.buffer as ArrayBuffer) : message);
    this.switchboard.order({ do: 'send', line: this.line, message: own, session: { id: session, end } });
  }

  /** What clients say goes to the session from here on. */
  release(session: string): void {
    this.switchboard.order({ do: 'release', line: this.line, session });
  }

  /** The client is not told of these scripts in the session. */
  hideScripts(session: string, scripts: readonly ScriptIdentity[]): void {
    this.switchboard.order({ do: 'hideScripts', line: this.line, session, scripts });
  }

  /** What clients say goes nowhere from here on. */
  mute(): void {
    this.switchboard.order({ do: 'mute', line: this.line });
  }

  /** Between clients and the browser, either way, so far. */
  get messages(): number {
    return this.#counters[lineCounters.messages] as number;
  }

  /** Where it throws, the switchboard cuts the browser off: in other hands than ours, it must not take the host with it. */
  report(report: LineReport): void {
    if (report.tell === 'message') this.#message(report.text);
    else if (report.tell === 'attached') this.#listener.attached(report.caller, report.target, report.parent);
    else if (report.tell === 'detached') this.#listener.detached(report.caller, report.session);
    else this.#end.resolve();
  }

  #message(text: string): void {
    this.#listener.message(text);
    this.#handled += text.length;
    if (this.#handled < toldCharacters) return;
    this.switchboard.order({ do: 'handled', line: this.line, characters: this.#handled });
    this.#handled = 0;
  }
}
