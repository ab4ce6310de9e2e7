import { BrowserPipe, type PipeChannels, type PipeStart } from './browser-pipe.ts';
import type { Channel } from './channel.ts';
import { ClientSocket, type ClientStart } from './client-socket.ts';
import { asBuffer, type ClientCommand, type Command, type PipeCommand, type Report } from './commands.ts';
import { WriteBatch } from './outlet.ts';
import type { ThreadContext } from './thread-context.ts';
import { maxReadBytes, type SessionTurn, type Turns } from './turns.ts';

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
    this.#turns.run(subject.turn, () => {
      try {
        if (isOfClient) this.#carryOutForClient(command);
        else this.#carryOutForPipe(command);
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

  #carryOutForPipe(command: PipeCommand): void {
    const pipe = this.#pipes.get(command.pipeId);
    if (!pipe) return;
    if (command.type === 'send') send(pipe, command);
    else if (command.type === 'handled') pipe.handled(command.characters);
    else if (command.type === 'mute') pipe.mute();
    else if (command.type === 'release') pipe.release(command.cdpSessionId);
    else if (command.type === 'hideScripts') pipe.hideScripts(command.cdpSessionId, command.scripts);
    else if (command.type === 'hideClients') pipe.hideClients();
    else if (command.type === 'tap') pipe.tap();
    else if (command.type === 'hold') {
      pipe.hold(command.isOnHold);
      this.#context.reports.push({ type: 'held', pipeId: command.pipeId });
    } else pipe.end();
  }

  #carryOutForClient(command: ClientCommand): void {
    const client = this.#clients.get(command.clientId);
    if (!client) return;
    if (command.type === 'resume') client.resume();
    else if (command.type === 'pass') client.pass(asBuffer(command.message), command.cdpSessionId);
    else if (command.type === 'write') client.write(asBuffer(command.bytes));
    else if (command.type === 'endWriting') client.endWriting();
    else {
      this.#clients.delete(command.clientId);
      client.close();
    }
  }
}

function send(pipe: BrowserPipe, { message, session }: Extract<Command, { type: 'send' }>): void {
  const bytes = typeof message === 'string' ? Buffer.from(message) : asBuffer(message);
  if (session) pipe.sendTo(session.id, bytes, session.end);
  else pipe.send(bytes, 0, bytes.length);
}
