import { randomInt } from 'node:crypto';

/**
 * What clients write into a page and a page can read there: as a property of its window, or in the stack of an error
 * that a client's call runs through. Each is replaced by random letters of the same length, so that a message keeps its
 * length and is never parsed for it.
 */
interface Telling {
  text: string;
  /** Replaced only in messages that also contain this: the source that defines it. */
  onlyWith?: string;
  /** Replaced only between quotes. */
  isQuoted?: true;
}

const telling: readonly Telling[] = [
  { text: '__playwright__binding__' },
  { text: 'UtilityScript', onlyWith: 'module.exports.UtilityScript' },
  { text: 'InjectedScript', onlyWith: 'module.exports.InjectedScript' },
  { text: 'BindingsController', onlyWith: 'module.exports.BindingsController' },
  { text: 'puppeteer_', isQuoted: true },
  { text: 'This is the Puppeteer binding' },
  // ChromeDriver's, of builtins that it keeps on the window.
  { text: 'cdc_adoQpoasnfa76pfcZLmcfl_' },
];

/** Prefixes that clients put before the user's own name of a binding. */
const bindingPrefixes = ['__playwright__binding__', 'puppeteer_'];

const [quote, backslash, space] = [0x22, 0x5c, 0x20];
const sourceUrls = ['//# sourceURL=', '//@ sourceURL='].map((text) => Buffer.from(text));

interface Replacement {
  text: Buffer;
  onlyWith: Buffer | undefined;
  isQuoted: boolean;
  by: Buffer;
}

/** Only so much of a message is searched: others wait meanwhile. Clients write their source before its arguments. */
const searchedBytes = 16 * 2 ** 20;

/** More than clients write into one message. What follows is left as it is: replacing millions takes long. */
const maxReplaced = 10_000;

/** Replaces what tells a client, by the same words in all messages of one browser. */
export class DetectableStrings {
  readonly #replacements: readonly Replacement[];

  constructor() {
    this.#replacements = telling.map(({ text, onlyWith, isQuoted = false }) => ({
      text: Buffer.from(text),
      onlyWith: onlyWith === undefined ? undefined : Buffer.from(onlyWith),
      isQuoted,
      by: Buffer.from(randomWord(text.length)),
    }));
  }

  /** Returns a changed copy of the message; undefined if there is nothing to hide in it. */
  hide(message: Buffer): Buffer | undefined {
    const searched = message.subarray(0, searchedBytes);
    let copy: Buffer | undefined;
    const change = () => {
      copy ??= Buffer.from(message);
      return copy;
    };
    let left = maxReplaced;
    /** Calls `replace` where the text is; it returns where to go on. */
    const each = (text: Buffer, replace: (at: number, end: number) => number) => {
      for (let at = searched.indexOf(text); at !== -1 && left > 0; left -= 1) {
        at = searched.indexOf(text, replace(at, at + text.length));
      }
    };
    for (const { text, onlyWith, isQuoted, by } of this.#replacements) {
      if (onlyWith && !searched.includes(onlyWith)) continue;
      each(text, (at, end) => {
        if (!isQuoted || isBetweenQuotes(searched, at, end)) by.copy(change(), at);
        return end;
      });
    }
    for (const comment of sourceUrls) {
      each(comment, (at, end) => {
        const commentEnd = endOfComment(searched, end);
        change().fill(space, at, commentEnd);
        return commentEnd;
      });
    }
    return copy;
  }

  /** Returns the name under which the browser knows a client's binding. */
  bindingName(name: string): string {
    const prefix = bindingPrefixes.find((known) => name.startsWith(known));
    const found = this.#replacements.find(({ text }) => text.toString() === prefix);
    return prefix && found ? `${found.by}${name.slice(prefix.length)}` : name;
  }
}

/** The name ends where a string of JSON ends or has an escape: a line feed, or a quote, which V8 does not accept. */
function endOfComment(message: Buffer, from: number): number {
  let at = from;
  while (at < message.length && message[at] !== quote && message[at] !== backslash) at += 1;
  return at;
}

function isBetweenQuotes(message: Buffer, start: number, end: number): boolean {
  const after = message[end] === backslash ? message[end + 1] : message[end];
  return message[start - 1] === quote && after === quote;
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Returns random letters: a name in JavaScript, too. */
export function randomWord(length: number): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join('');
}
