import { exceptionThrown } from './client-events.ts';
import { randomWord } from './detectable-strings.ts';
import type { OwnCommands } from './own-commands.ts';
import { type ErrorWords, pageErrors, relayErrors, workerErrors } from './page-scripts.ts';

export const newDocument = 'Page.addScriptToEvaluateOnNewDocument';

/** Uncaught errors of one target. Scripts in its pages or in the worker report them through a binding. */
export class UncaughtErrors {
  readonly #commands: OwnCommands;
  readonly #words: ErrorWords = { event: randomWord(12), binding: randomWord(12), world: randomWord(12) };
  #listens = false;
  #count = 0;

  constructor(commands: OwnCommands) {
    this.#commands = commands;
  }

  get binding(): string {
    return this.#words.binding;
  }

  listenInPages(): void {
    if (this.#listens) return;
    this.#listens = true;
    const { world: worldName } = this.#words;
    this.#commands.call(newDocument, { source: relayErrors(this.#words), worldName, runImmediately: true });
    this.#commands.call(newDocument, { source: pageErrors(this.#words), runImmediately: true });
    this.addBinding();
  }

  listenInWorker(): void {
    this.#commands.call('Runtime.addBinding', { name: this.#words.binding });
    this.#commands.call('Runtime.evaluate', { expression: workerErrors(this.#words) });
  }

  /** Adds the binding to the documents of a page. */
  addBinding(): void {
    const { binding: name, world: executionContextName } = this.#words;
    this.#commands.call('Runtime.addBinding', { name, executionContextName });
  }

  /** The parameters of `Runtime.exceptionThrown`; undefined if the report is unreadable. */
  reported(payload: unknown): object | undefined {
    this.#count += 1;
    return exceptionThrown(String(payload), this.#count);
  }
}
