import { randomWord } from './detectable-strings.ts';

const telling = /puppeteer|playwright/i;

/** More than clients have, and longer. Others stay as they are. */
const maxNames = 64;
export const maxNameLength = 256;

/** Gives isolated worlds names that do not tell a client. The client knows them by its own names. */
export class WorldNames {
  readonly #names = new Map<string, string>();

  /** Returns the name under which the browser knows a world. */
  hidden(name: string): string {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    if (name.length > maxNameLength || this.#names.size >= maxNames || !telling.test(name)) return name;
    const hidden = randomWord(name.length);
    this.#names.set(name, hidden);
    return hidden;
  }
}
