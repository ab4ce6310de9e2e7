import type { Command, Report } from './commands.ts';
import type { ClientOwner, PipeOwner } from './switchboard.ts';

/** Delivers reports to the owners of pipes and clients. */
export class ReportDelivery {
  readonly #pipes = new Map<number, PipeOwner>();
  readonly #clients = new Map<number, ClientOwner>();
  readonly #send: (command: Command) => void;
  readonly #onError: (error: string) => void;
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

  /** An owner that throws loses the pipe or client that the report is about, and nothing else. */
  deliver(report: Report): void {
    try {
      this.#deliver(report);
    } catch (error) {
      this.#onError((error as Error).stack ?? String(error));
      if ('pipeId' in report) this.#send({ type: 'closePipe', pipeId: report.pipeId });
      else if ('clientId' in report) this.#send({ type: 'closeClient', clientId: report.clientId });
    }
  }

  #deliver(report: Report): void {
    if (report.type === 'error') this.#onError(report.error);
    else if ('pipeId' in report) {
      const owner = this.#pipes.get(report.pipeId);
      if (report.type === 'ended') this.#pipes.delete(report.pipeId);
      owner?.report(report);
    } else this.#clients.get(report.clientId)?.report(report);
  }
}
