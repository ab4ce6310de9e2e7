import { Duplex } from 'node:stream';
import type { WorkOwner } from '@turnpike/process/work/work';
import type { Refusal } from './refusals.ts';
import { asBuffer, type ClientReport, clientCounters, newCounters } from './reports.ts';
import type { ClientConnection, ClientOwner, Switchboard } from './switchboard.ts';

/** Hears what a client sends that the host must see. The client waits until a call returns. */
export interface ClientListener {
  /** Takes a message. `cdpSessionId` is set if it is for one of the client's own CDP sessions. */
  onMessage(message: Buffer, cdpSessionId: string | undefined): void;
  /** Nothing more is read from the client. Close it: at once if it can no longer be told why. */
  onRefused(refusal: Refusal, canBeTold: boolean): void;
}

/** A client's connection as its WebSocket sees it. Messages to and from the browser bypass it on the switchboard. */
export class ClientStream extends Duplex implements ClientOwner {
  readonly clientId: number;
  readonly work: WorkOwner;
  readonly #counters = newCounters(clientCounters);
  readonly #switchboard: Switchboard;
  #listener: ClientListener | undefined;

  /** Throws when the connection is closed. */
  constructor(switchboard: Switchboard, work: WorkOwner, connection: Omit<ClientConnection, 'counters'>) {
    super({ allowHalfOpen: true });
    this.work = work;
    this.#switchboard = switchboard;
    this.clientId = switchboard.connectClient(this, { ...connection, counters: this.#counters });
  }

  listenWith(listener: ClientListener): void {
    this.#listener = listener;
  }

  /** Counts all bytes that came over the connection. */
  get bytesRead(): number {
    return this.#counters[clientCounters.bytesRead] as number;
  }

  /** Whether the client is not read from, because its browser does not take more or enough of its messages wait. */
  get isBackpressured(): boolean {
    return this.#counters[clientCounters.isBackpressured] === 1;
  }

  report(report: ClientReport): void {
    if (report.type === 'hungUp') this.push(null);
    else if (report.type === 'refused') this.#listener?.onRefused(report.refusal, report.canBeTold);
    else if (report.type === 'controlFrames') {
      this.push(asBuffer(report.bytes));
      this.#handled();
    } else if (report.type === 'clientMessage') {
      this.#listener?.onMessage(asBuffer(report.message), report.cdpSessionId);
      this.#handled();
    }
  }

  /** Sends a message of the client to a CDP session that it has. */
  pass(message: Buffer, cdpSessionId: string): void {
    const own = new Uint8Array(message);
    this.#switchboard.send({ type: 'pass', clientId: this.clientId, message: own, cdpSessionId });
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#switchboard.send({ type: 'write', clientId: this.clientId, bytes: new Uint8Array(chunk) });
    done();
  }

  override _final(done: () => void): void {
    this.#switchboard.send({ type: 'endWriting', clientId: this.clientId });
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#switchboard.send({ type: 'closeClient', clientId: this.clientId });
    done(error);
  }

  #handled(): void {
    this.#switchboard.send({ type: 'handled', clientId: this.clientId });
  }
}
