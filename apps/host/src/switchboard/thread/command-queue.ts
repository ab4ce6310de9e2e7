import { Fifo } from '../fifo.ts';
import type { SessionTurn, Turns } from '../turns.ts';
import type { ThreadCommand } from './thread-messages.ts';

export interface CommandQueueOptions {
  turns: Turns;
  /** Returns undefined if there is no such pipe, and a command to it takes no time. */
  turnOf(pipeId: number): SessionTurn | undefined;
  carryOut(command: ThreadCommand): void;
}

/**
 * Carries out the host's commands, each session's in the order in which they came. Those of a session that has used up
 * its slice of a round wait for its next one. What has not begun outlasts an interruption.
 */
export class CommandQueue {
  readonly #options: CommandQueueOptions;
  readonly #new = new Fifo<ThreadCommand>();
  /** By pipe. */
  readonly #waiting = new Map<number, Fifo<ThreadCommand>>();
  /** The pipes of clients: a command names its client only. */
  readonly #pipeIds = new Map<number, number>();

  constructor(options: CommandQueueOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#new.isEmpty && this.#waiting.size === 0;
  }

  add(command: ThreadCommand): void {
    this.#new.add(command);
  }

  /** Carries out what is new. */
  carryOutNew(): void {
    for (let command = this.#new.take(); command; command = this.#new.take()) {
      const pipeId = this.#pipeIdOf(command);
      const before = this.#waiting.get(pipeId);
      if (!before && this.#hasTime(pipeId)) {
        this.#options.carryOut(command);
        continue;
      }
      const waiting = before ?? new Fifo<ThreadCommand>();
      this.#waiting.set(pipeId, waiting);
      waiting.add(command);
    }
  }

  /** Gives each session that has waited a slice, and calls `finishTurn` after each. */
  carryOutWaiting(finishTurn: () => void): void {
    for (const [pipeId, commands] of this.#waiting) {
      while (!commands.isEmpty && this.#hasTime(pipeId)) {
        this.#options.carryOut(commands.take() as ThreadCommand);
      }
      if (commands.isEmpty) this.#waiting.delete(pipeId);
      finishTurn();
    }
  }

  #hasTime(pipeId: number): boolean {
    const turn = this.#options.turnOf(pipeId);
    return !turn || this.#options.turns.hasTime(turn);
  }

  #pipeIdOf(command: ThreadCommand): number {
    if (command.type === 'openPipe') return command.start.pipeId;
    if (command.type === 'connectClient') {
      this.#pipeIds.set(command.start.clientId, command.toPipeId);
      return command.toPipeId;
    }
    if (!('clientId' in command)) return 'pipeId' in command ? command.pipeId : 0;
    const pipeId = this.#pipeIds.get(command.clientId) ?? 0;
    if (command.type === 'closeClient') this.#pipeIds.delete(command.clientId);
    return pipeId;
  }
}
