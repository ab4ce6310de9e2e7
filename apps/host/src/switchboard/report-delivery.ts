import { type WorkOwner, workFor } from '@turnpike/process/work/work';
import type { Command } from './commands.ts';
import { Fifo } from './fifo.ts';
import type { Report } from './reports.ts';
import type { ClientOwner, PipeOwner } from './switchboard.ts';

/** How long the reports of one session are handled before those of others are. */
const sliceMs = 1;
/** How long reports are handled before the event loop goes on with everything else. */
const roundMs = 4;

/**
 * Delivers reports to the owners of pipes and clients: in order for each session, and a slice of each session's in
 * turn, so that one that causes many holds up nobody else.
 */
export class ReportDelivery {
  readonly #pipes = new Map<number, PipeOwner>();
  readonly #clients = new Map<number, ClientOwner>();
  /** Reports of each session that wait to be delivered. */
  readonly #waiting = new Map<WorkOwner, Fifo<Report>>();
  readonly #send: (command: Command) => void;
  readonly #onError: (error: string) => void;
  #isScheduled = false;
  #nextId = 1;

  constructor(send: (command: Command) => void, onError: (error: string) => void) {
    this.#send = send;
    this.#onError = onError;
  }

  /** Returns the new pipe's id. */
  addPipe(owner: PipeOwner): number {
    const pipeId = this.#nextId++;
    this.#pipes.set(pipeId, owner);
    return pipeId;
  }

  /** Returns the new client's id. */
  addClient(owner: ClientOwner): number {
    const clientId = this.#nextId++;
    this.#clients.set(clientId, owner);
    return clientId;
  }

  removeClient(clientId: number): void {
    this.#clients.delete(clientId);
  }

  /** Delivers what there is time for, and the rest later. */
  deliver(reports: readonly Report[]): void {
    for (const report of reports) this.#add(report);
    if (!this.#isScheduled) this.#deliverRound();
  }

  #add(report: Report): void {
    const owner = this.#ownerOf(report);
    if (!owner) {
      if (report.type === 'error') this.#onError(report.error);
      return;
    }
    const waiting = this.#waiting.get(owner.work) ?? new Fifo<Report>();
    this.#waiting.set(owner.work, waiting);
    waiting.add(report);
  }

  #ownerOf(report: Report): PipeOwner | ClientOwner | undefined {
    if (report.type === 'error') return undefined;
    return 'pipeId' in report ? this.#pipes.get(report.pipeId) : this.#clients.get(report.clientId);
  }

  /** Gives each session its slice, until there is nothing left or the round is over. */
  #deliverRound(): void {
    const endsAt = performance.now() + roundMs;
    for (const [work, waiting] of this.#waiting) {
      workFor(work, () => this.#deliverSlice(waiting));
      this.#waiting.delete(work);
      if (!waiting.isEmpty) this.#waiting.set(work, waiting); // Behind the others.
      if (performance.now() >= endsAt) break;
    }
    if (this.#waiting.size > 0) this.#schedule();
  }

  #deliverSlice(waiting: Fifo<Report>): void {
    const endsAt = performance.now() + sliceMs;
    do this.#deliverOne(waiting.take() as Report);
    while (!waiting.isEmpty && performance.now() < endsAt);
  }

  #schedule(): void {
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#deliverRound();
    });
  }

  /** An owner that throws loses the pipe or client that the report is about, and nothing else. */
  #deliverOne(report: Report): void {
    const owner = this.#ownerOf(report);
    try {
      if (report.type === 'ended') this.#pipes.delete(report.pipeId);
      owner?.report(report as never);
    } catch (error) {
      this.#onError((error as Error).stack ?? String(error));
      if ('pipeId' in report) this.#send({ type: 'closePipe', pipeId: report.pipeId });
      else if ('clientId' in report) this.#send({ type: 'closeClient', clientId: report.clientId });
    }
  }
}
