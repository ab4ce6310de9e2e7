import { type ConsoleMessage, consoleCalled, consoleNotice } from './client-events.ts';

/** More than a page writes before its context is known. Further messages are lost. */
const maxWaiting = 1000;

/**
 * Tells a client what a page or worker writes to its console, as far as the Console domain tells: its text, which
 * Chromium makes in any browser. Nothing more of the page's runs for that. A message names no context, and is said to come from the main one.
 */
export class ClientConsole {
  readonly #emit: (method: string, params: object) => void;
  readonly #waiting: ConsoleMessage[] = [];
  #contextId: number | undefined;
  #isNoticeDue = true;

  constructor(emit: (method: string, params: object) => void) {
    this.#emit = emit;
  }

  written(message: ConsoleMessage): void {
    if (this.#contextId !== undefined) this.#tell(message, this.#contextId);
    else if (this.#waiting.length < maxWaiting) this.#waiting.push(message);
  }

  /** The main context is gone. */
  cleared(): void {
    this.#contextId = undefined;
  }

  /** The main context is known. */
  found(contextId: number): void {
    this.#contextId = contextId;
    for (const message of this.#waiting.splice(0)) this.#tell(message, contextId);
  }

  /** Says once what is missing of messages. */
  notice(contextId: number): void {
    if (this.#isNoticeDue) this.#tell(consoleNotice, contextId);
    this.#isNoticeDue = false;
  }

  #tell(message: ConsoleMessage, contextId: number): void {
    this.#emit('Runtime.consoleAPICalled', consoleCalled(message, contextId));
  }
}
