import type { Duplex } from 'node:stream';
import type { WorkOwner } from '@turnpike/process/work/work';
import type { ScriptIdentity } from '../filters/hidden-scripts.ts';
import type { TappedMessage } from '../filters/message-tap.ts';
import { ByteBudget, defaultBufferBytes, newHeldBytes } from '../memory/byte-budget.ts';
import { ClientStream } from '../switchboard/client-stream.ts';
import { type LostPipe, newCounters, type PipeReport, pipeCounters } from '../switchboard/reports.ts';
import type { PipeEnds, PipeOwner, Switchboard } from '../switchboard/switchboard.ts';
import type { AttachedTarget } from '../switchboard/targets.ts';

/** Hears what is more than a message between a client and the browser. */
export interface PipeListener {
  /** Takes a message of no client's CDP session. */
  message(text: string): void;
  /** A client has a new CDP session, which waits for `release`. */
  attached(clientId: number, target: AttachedTarget, parent: string): void;
  detached(clientId: number, cdpSessionId: string): void;
  /** Takes a client's command, or the answer to one. */
  tapped(message: TappedMessage): void;
}

export interface DevToolsPipeOptions {
  switchboard: Switchboard;
  /** Belong to the pipe from now on. */
  ends: PipeEnds;
  listener: PipeListener;
  work: WorkOwner;
  /** How many bytes may be held for the session at once. */
  bufferBytes?: number;
}

/** The host tells the switchboard what it has handled in steps of this many characters. */
const handledStep = 2 ** 18;

/** Chromium's DevTools pipe. The switchboard reads and writes it. This is the host's side of it. */
export class DevToolsPipe implements PipeOwner {
  readonly work: WorkOwner;
  /** What may be held for the session, by the host too. */
  readonly budget: ByteBudget;
  /** Resolves when the browser has closed its end and everything it wrote has been delivered. */
  readonly ended: Promise<void>;
  readonly #switchboard: Switchboard;
  readonly #pipeId: number;
  readonly #counters = newCounters(pipeCounters);
  readonly #end = Promise.withResolvers<void>();
  readonly #listener: PipeListener;
  /** Calls of `pauseClients` that are on their way, in order. */
  readonly #pauses: (() => void)[] = [];
  /** The same of `standby`. */
  readonly #standbys: (() => void)[] = [];
  #onNeeded: (() => void) | undefined;
  #handledCharacters = 0;
  #lost: LostPipe | undefined;

  constructor({ switchboard, ends, listener, work, bufferBytes = defaultBufferBytes }: DevToolsPipeOptions) {
    this.work = work;
    this.#switchboard = switchboard;
    this.#listener = listener;
    this.ended = this.#end.promise;
    const heldBytes = newHeldBytes();
    this.budget = new ByteBudget(bufferBytes, heldBytes, 'host');
    const counters = this.#counters;
    this.#pipeId = switchboard.openPipe(this, ends, { counters, budgetBytes: bufferBytes, heldBytes });
  }

  /** Sends one message. Messages of one turn of the event loop go out in one write. */
  send(message: string | Buffer): void {
    this.#onNeeded?.();
    // A copy, because a part of a larger buffer would be sent over with all of it.
    const own = typeof message === 'string' ? message : new Uint8Array(message);
    this.#switchboard.send({ type: 'send', pipeId: this.#pipeId, message: own });
  }

  /** Sends a client's message to a CDP session that it does not name. Its last brace is at `end`. Takes the memory. */
  sendTo(cdpSessionId: string, message: Buffer, end: number): void {
    const isWhole = message.length === message.buffer.byteLength;
    const own = new Uint8Array(isWhole ? (message.buffer as ArrayBuffer) : message);
    this.#onNeeded?.();
    const session = { id: cdpSessionId, end };
    this.#switchboard.send({ type: 'send', pipeId: this.#pipeId, message: own, session });
  }

  /** Lets clients send to the CDP session from now on. */
  release(cdpSessionId: string): void {
    this.#switchboard.send({ type: 'release', pipeId: this.#pipeId, cdpSessionId });
  }

  /** Hides these scripts from the client that has the CDP session. */
  hideScripts(cdpSessionId: string, scripts: readonly ScriptIdentity[]): void {
    this.#switchboard.send({ type: 'hideScripts', pipeId: this.#pipeId, cdpSessionId, scripts });
  }

  /** Hides clients from pages. Call before there are clients. */
  hideClients(): void {
    this.#switchboard.send({ type: 'hideClients', pipeId: this.#pipeId });
  }

  /** Has clients' commands and their answers reported. Call before there are clients. */
  tap(): void {
    this.#switchboard.send({ type: 'tap', pipeId: this.#pipeId });
  }

  /** Lets what clients send wait, or passes it on. Clients that connect meanwhile wait too. Resolves when that is so. */
  async pauseClients(isPaused: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pauses.push(resolve);
    this.#switchboard.send({ type: 'pauseClients', pipeId: this.#pipeId, isPaused });
    await Promise.race([promise, this.ended]);
  }

  /** Has `onNeeded` called for all that is sent to the browser by the host. Call before there are clients. */
  watchForStandby(onNeeded: () => void): void {
    this.#onNeeded = onNeeded;
    void this.standby(false);
  }

  /** Has `onNeeded` called for the next message of a client too, or no longer. Resolves when that is so. */
  async standby(isAsleep: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#standbys.push(resolve);
    this.#switchboard.send({ type: 'standby', pipeId: this.#pipeId, isAsleep });
    await Promise.race([promise, this.ended]);
  }

  /** Says that a client's command has had its answer from the host. */
  answered(cdpSessionId: string): void {
    if (this.#onNeeded) this.#switchboard.send({ type: 'answered', pipeId: this.#pipeId, cdpSessionId });
  }

  /** How many commands of clients have no answer yet. Only after `watchForStandby`. */
  get unanswered(): number {
    return this.#counters[pipeCounters.unanswered] as number;
  }

  /** Ignores what clients send from now on. */
  mute(): void {
    this.#switchboard.send({ type: 'mute', pipeId: this.#pipeId });
  }

  /** Connects a client that has its own CDP session. Throws when its connection is closed. */
  connectClient(rootCdpSessionId: string, socket: Duplex, head: Buffer): ClientStream {
    return new ClientStream(this.#switchboard, this.work, {
      pipeId: this.#pipeId,
      rootCdpSessionId,
      socket,
      head,
    });
  }

  /** Counts the messages between clients and the browser, both ways. */
  get messages(): number {
    return this.#counters[pipeCounters.messages] as number;
  }

  /** How the pipe ended, if not by the browser. */
  get lost(): LostPipe | undefined {
    return this.#lost;
  }

  /** How long the switchboard has worked for the session, in milliseconds. */
  get busyMs(): number {
    return this.#counters[pipeCounters.busyMs] as number;
  }

  /** Where this throws, the switchboard closes the pipe: a browser that was taken over must not end the host. */
  report(report: PipeReport): void {
    if (report.type === 'message') {
      this.#listener.message(report.text);
      this.#handled(report.text.length);
    } else if (report.type === 'tapped') {
      this.#listener.tapped(report.message);
      this.#handled(report.message.text.length);
    } else if (report.type === 'attached') {
      this.#listener.attached(report.clientId, report.target, report.parent);
    } else if (report.type === 'clientsPaused') this.#pauses.shift()?.();
    else if (report.type === 'standbySet') this.#standbys.shift()?.();
    else if (report.type === 'needed') this.#onNeeded?.();
    else if (report.type === 'detached') this.#listener.detached(report.clientId, report.cdpSessionId);
    else {
      this.#lost = report.lost;
      this.#end.resolve();
    }
  }

  #handled(characters: number): void {
    this.#handledCharacters += characters;
    if (this.#handledCharacters < handledStep) return;
    this.#switchboard.send({ type: 'handled', pipeId: this.#pipeId, characters: this.#handledCharacters });
    this.#handledCharacters = 0;
  }
}
