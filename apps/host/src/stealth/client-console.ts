import { type ConsoleMessage, consoleCalled, consoleNotice } from './client-events.ts';
import { objectBytes, type Room } from './room.ts';

/** More than a page writes before its context is known. Further messages are lost. */
const maxWaitingBytes = 2 ** 20;

/**
 * Tells a client what a page or worker writes to its console, as far as the Console domain tells: its text, which
 * Chromium makes in any browser. Nothing more of the page's runs for that. A message names no context, and is said to come from the main one.
 */
export class ClientConsole {
  readonly #emit: (method: string, params: object) => void;
  readonly #room: Room;
  readonly #waiting: ConsoleMessage[] = [];
  #waitingBytes = 0;
  #contextId: number | undefined;
  #isNoticeDue = true;

  constructor(emit: (method: string, params: object) => void, room: Room) {
    this.#emit = emit;
    this.#room = room;
  }

  written(message: ConsoleMessage): void {
    if (this.#contextId !== undefined) this.#tell(message, this.#contextId);
    else this.#wait(message);
  }

  /** The main context is gone. */
  cleared(): void {
    this.#contextId = undefined;
  }

  /** The main context is known. */
  found(contextId: number): void {
    this.#contextId = contextId;
    this.#room.give(this.#waitingBytes);
    this.#waitingBytes = 0;
    for (const message of this.#waiting.splice(0)) this.#tell(message, contextId);
  }

  /** Says once what is missing of messages. */
  notice(contextId: number): void {
    if (this.#isNoticeDue) this.#tell(consoleNotice, contextId);
    this.#isNoticeDue = false;
  }

  #wait(message: ConsoleMessage): void {
    const bytes = objectBytes + 2 * (message.text.length + (message.url?.length ?? 0));
    if (this.#waitingBytes + bytes > maxWaitingBytes || !this.#room.take(bytes)) return;
    this.#waitingBytes += bytes;
    this.#waiting.push(message);
  }

  #tell(message: ConsoleMessage, contextId: number): void {
    this.#emit('Runtime.consoleAPICalled', consoleCalled(message, contextId));
  }
}
