import type { TappedMessage } from '../filters/message-tap.ts';
import { firstBytes, lastBytes, withoutBody } from './cdp/large-pause.ts';
import { maxParsedBytes } from './cdp/target-messages.ts';
import type { Report } from './reports.ts';

/** A browser that sends the host more than this before the host has handled it is not read from. */
const maxUnhandledCharacters = 4 * 2 ** 20;

/** Reports messages of one pipe to the host, and counts what the host has not handled yet. */
export class MessageReports {
  readonly #pipeId: number;
  readonly #reports: Report[];
  #unhandledCharacters = 0;

  constructor(pipeId: number, reports: Report[]) {
    this.#pipeId = pipeId;
    this.#reports = reports;
  }

  /** Whether the browser is not to be read from for now. */
  get isFull(): boolean {
    return this.#unhandledCharacters > maxUnhandledCharacters;
  }

  /** Reports a message of no client's CDP session. A very large one is an answer to a client that has gone, mostly. */
  add(bytes: Buffer, start: number, end: number, cdpSessionId: string | undefined): void {
    if (end - start <= maxParsedBytes) {
      this.#add(bytes.toString('utf8', start, end));
      return;
    }
    const first = bytes.subarray(start, Math.min(end, start + firstBytes));
    const last = bytes.subarray(Math.max(start, end - lastBytes), end);
    this.addLarge(first, last, cdpSessionId);
  }

  /** Reports a message by its first and last bytes, if the host has to know of it. */
  addLarge(first: Buffer, last: Buffer, cdpSessionId: string | undefined): void {
    const text = withoutBody(first, last, cdpSessionId ?? '');
    if (text !== undefined) this.#add(text);
  }

  /** Returns false if the host can take no more for now. */
  addTapped(message: TappedMessage): boolean {
    const unhandled = this.#unhandledCharacters + message.text.length;
    if (unhandled > maxUnhandledCharacters) return false;
    this.#unhandledCharacters = unhandled;
    this.#reports.push({ type: 'tapped', pipeId: this.#pipeId, message });
    return true;
  }

  /** Says that the host has handled so many characters. */
  handled(characters: number): void {
    this.#unhandledCharacters -= characters;
  }

  #add(text: string): void {
    this.#reports.push({ type: 'message', pipeId: this.#pipeId, text });
    this.#unhandledCharacters += text.length;
  }
}
