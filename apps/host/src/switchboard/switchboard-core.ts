import { BrowserPipe, type PipeChannels, type PipeStart } from './browser-pipe.ts';
import type { Channel } from './channel/channel.ts';
import { WriteBatch } from './channel/outlet.ts';
import { ClientSocket, type ClientStart } from './client/client-socket.ts';
import { type Command, clientCommands, pipeCommands } from './commands.ts';
import { asBuffer, type Report } from './reports.ts';
import type { ThreadContext } from './thread-context.ts';
import { maxReadBytes, type SessionTurn, type Turns } from './turns.ts';

/** A row of a table of commands, without its types: the command's own type says which row it is. */
type CarryOut = (subject: never, command: never) => void;

/** The pipes and clients of one thread, on whatever channels. Both switchboards carry out their commands with it. */
export class SwitchboardCore {
  readonly #turns: Turns;
  readonly #context: ThreadContext = {
    batch: new WriteBatch(),
    readBuffer: Buffer.allocUnsafeSlow(maxReadBytes + 1).subarray(0, maxReadBytes),
    reports: [],
    reportError: (error) => this.reportError(error),
  };
  readonly #pipes = new Map<number, BrowserPipe>();
  readonly #clients = new Map<number, ClientSocket>();

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  openPipe(start: PipeStart, channels: PipeChannels): void {
    const { pipeId } = start;
    const onEnded = () => void this.#pipes.delete(pipeId);
    this.#pipes.set(pipeId, new BrowserPipe(start, channels, this.#context, onEnded));
  }

  turnOf(pipeId: number): SessionTurn | undefined {
    return this.#pipes.get(pipeId)?.turn;
  }

  /** Closes the channel where the browser has gone in the meantime. */
  connectClient(pipeId: number, start: ClientStart, channel: Channel): void {
    const pipe = this.#pipes.get(pipeId);
    const { clientId } = start;
    if (!pipe) {
      channel.close();
      this.#context.reports.push({ type: 'hungUp', clientId }, { type: 'closed', clientId });
      return;
    }
    const client = new ClientSocket(start, channel, pipe, this.#context);
    this.#clients.set(clientId, client);
    this.#turns.run(client.turn, () => {
      try {
        client.start(asBuffer(start.firstBytes));
      } catch (error) {
        client.fail(error);
      }
    });
  }

  /** Carries out a command. An error ends what the command is about, and nothing else. */
  carryOut(command: Command): void {
    const isOfClient = 'clientId' in command;
    const subject = isOfClient ? this.#clients.get(command.clientId) : this.#pipes.get(command.pipeId);
    if (!subject) return;
    if (command.type === 'closeClient') this.#clients.delete(command.clientId);
    const table: Record<string, CarryOut> = isOfClient ? clientCommands : pipeCommands;
    this.#turns.run(subject.turn, () => {
      try {
        table[command.type]?.(subject as never, command as never);
      } catch (error) {
        subject.fail(error);
      }
    });
  }

  reportError(error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#context.reports.push({ type: 'error', error: text });
  }

  /** Ends a pipe whose work was interrupted. What it has in memory may be half done. */
  endPipe(pipeId: number): void {
    const pipe = this.#pipes.get(pipeId);
    this.#pipes.delete(pipeId);
    try {
      pipe?.end();
    } catch (error) {
      this.reportError(error);
    }
  }

  /** Ends the pipe: something about it cannot be reported. */
  failPipe(pipeId: number, error: unknown): void {
    this.#pipes.get(pipeId)?.fail(error);
  }

  /** Writes what is batched, and returns what is to be reported. Call after each batch of events. */
  finishTurn(): Report[] {
    this.#context.batch.flush();
    const { reports } = this.#context;
    return reports.length === 0 ? reports : reports.splice(0);
  }
}
