/** How deep Chromium reads JSON (`kStackLimit` of its DevTools parser). */
const maxDepth = 300;

/** The place of a member's value in the message. */
export interface Span {
  start: number;
  end: number;
}

/** The members of a message that say what it is. If one occurs twice, the last counts. */
export type Outline = Partial<Record<OutlineMember, Span>>;
type OutlineMember = 'id' | 'method' | 'params' | 'sessionId';
const members: readonly OutlineMember[] = ['id', 'method', 'params', 'sessionId'];

/** Its message is what Chromium answers. */
export class OutlineError extends Error {}

const parseError = 'JSON: parse error';

const [quote, backslash, comma, colon, minus, plus, dot] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2b, 0x2e];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
/** The length of a character that is written by its number. */
const escapeBytes = 6;
const [zero, nine, lowerE, upperE, lowerU] = [0x30, 0x39, 0x65, 0x45, 0x75];
const literals = ['true', 'false', 'null'].map((text) => Buffer.from(text));
const isHex = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number('0123456789abcdefABCDEF'.includes(String.fromCharCode(byte))),
);
const isEscape = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number('"\\/bfnrt'.includes(String.fromCharCode(byte))),
);

/**
 * Checks that a client's message is a JSON object, and finds the members that say what it is. The rest is only scanned,
 * however deep it is: byte by byte, without recursion and without allocating memory.
 */
export function outlineOf(bytes: Buffer): Outline {
  return new Reader(bytes).read();
}

/** Finds the members that begin and end in the first bytes of a message, of which the rest is not known. */
export function outlineOfStart(bytes: Buffer): Outline {
  const outline: Outline = {};
  try {
    new Reader(bytes).readInto(outline);
  } catch (error) {
    if (!(error instanceof OutlineError)) throw error; // The rest of it is missing.
  }
  for (const member of members) if (outline[member]?.end === bytes.length) delete outline[member];
  return outline;
}

class Reader {
  readonly #bytes: Buffer;
  /** The same as words, from the first aligned one on: most of a large message is long strings. */
  readonly #words: Int32Array;
  readonly #firstWord: number;
  #at = 0;
  /** For each open object or array: whether it is an object. */
  readonly #open: boolean[] = [];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#firstWord = Math.min(-bytes.byteOffset & 3, bytes.length);
    const wordCount = (bytes.length - this.#firstWord) >> 2;
    this.#words = new Int32Array(bytes.buffer, wordCount && bytes.byteOffset + this.#firstWord, wordCount);
  }

  read(): Outline {
    const outline: Outline = {};
    this.readInto(outline);
    return outline;
  }

  readInto(outline: Outline): void {
    this.#skipSpace();
    const isObject = this.#bytes[this.#at] === openBrace;
    if (isObject) this.#topMembers(outline);
    else this.#value();
    this.#skipSpace();
    if (this.#at !== this.#bytes.length) throw new OutlineError(parseError);
    if (!isObject) throw new OutlineError('JSON: object expected');
  }

  #topMembers(outline: Outline): void {
    this.#at += 1;
    this.#skipSpace();
    if (this.#take(closeBrace)) return;
    this.#open.push(true);
    do {
      const key = this.#key();
      const start = this.#at;
      this.#value();
      if (key) outline[key] = { start, end: this.#at };
      this.#skipSpace();
    } while (this.#take(comma));
    this.#open.pop();
    this.#expect(closeBrace);
  }

  /** Reads a key and its colon. Returns undefined for a key that is none of the members. */
  #key(): OutlineMember | undefined {
    this.#skipSpace();
    const start = this.#at;
    this.#string();
    const end = this.#at;
    this.#skipSpace();
    this.#expect(colon);
    this.#skipSpace();
    return members.find((member) => this.#isText(member, start + 1, end - 1));
  }

  /** Whether the bytes of a string are this text of letters, each plain or by its number. */
  #isText(text: string, start: number, end: number): boolean {
    let at = start;
    for (let i = 0; i < text.length; i++) {
      if (at >= end) return false;
      const isPlainLetter = this.#bytes[at] !== backslash;
      const code = isPlainLetter ? this.#bytes[at] : this.#escapedCode(at);
      if (code !== text.charCodeAt(i)) return false;
      at += isPlainLetter ? 1 : escapeBytes;
    }
    return at === end;
  }

  /** Reads a character that is written by its number; undefined if it is written in another way. */
  #escapedCode(at: number): number | undefined {
    if (this.#bytes[at + 1] !== lowerU) return undefined;
    return Number.parseInt(this.#bytes.toString('latin1', at + 2, at + escapeBytes), 16);
  }

  /** Reads one value, with everything in it. */
  #value(): void {
    const outside = this.#open.length;
    do {
      this.#skipSpace();
      if (this.#opens()) continue; // Its first value is next.
      this.#closes(outside);
    } while (this.#open.length > outside);
  }

  /** Returns whether an object or array was opened that is not empty. Anything else is read to its end. */
  #opens(): boolean {
    const isObject = this.#bytes[this.#at] === openBrace;
    if (!isObject && this.#bytes[this.#at] !== openBracket) {
      this.#scalar();
      return false;
    }
    // The value itself counts as a level.
    if (this.#open.length >= maxDepth) throw new OutlineError('JSON: stack limit exceeded');
    this.#at += 1;
    this.#skipSpace();
    if (this.#take(isObject ? closeBrace : closeBracket)) return false;
    this.#open.push(isObject);
    if (isObject) this.#memberKey();
    return true;
  }

  /** Reads what follows a value: a comma and perhaps a key, or the ends of what it was in. */
  #closes(outside: number): void {
    while (this.#open.length > outside) {
      const isObject = this.#open.at(-1) as boolean;
      this.#skipSpace();
      if (this.#take(comma)) {
        if (isObject) this.#memberKey();
        return;
      }
      this.#expect(isObject ? closeBrace : closeBracket);
      this.#open.pop();
    }
  }

  #memberKey(): void {
    this.#skipSpace();
    this.#string();
    this.#skipSpace();
    this.#expect(colon);
  }

  #scalar(): void {
    const first = this.#bytes[this.#at];
    if (first === quote) this.#string();
    else if (first === minus || isDigit(first)) this.#number();
    else {
      const word = literals.find((literal) => literal[0] === first && this.#isHere(literal));
      if (!word) throw new OutlineError(parseError);
      this.#at += word.length;
    }
  }

  #isHere(literal: Buffer): boolean {
    for (let i = 0; i < literal.length; i++) if (this.#bytes[this.#at + i] !== literal[i]) return false;
    return true;
  }

  #string(): void {
    const bytes = this.#bytes;
    const words = this.#words;
    const firstWord = this.#firstWord;
    const { length } = bytes;
    this.#expect(quote);
    let at = this.#at;
    while (at < length) {
      if (((at - firstWord) & 3) === 0 && at >= firstWord) {
        let word = (at - firstWord) >> 2;
        while (word < words.length && isPlain(words[word] as number)) word += 1;
        at = firstWord + word * 4;
        if (at === length) break;
      }
      const byte = bytes[at] as number;
      if (byte < 0x20) break;
      at += 1;
      if (byte === backslash) at = this.#escape(at);
      else if (byte === quote) {
        this.#at = at;
        return;
      }
    }
    throw new OutlineError(parseError);
  }

  /** Returns where the string goes on. */
  #escape(at: number): number {
    const kind = this.#bytes[at] ?? 0;
    if (isEscape[kind] === 1) return at + 1;
    const bytes = this.#bytes;
    for (let i = at + 1; i < at + 5; i++) if (isHex[bytes[i] ?? 0] !== 1) throw new OutlineError(parseError);
    if (kind !== lowerU) throw new OutlineError(parseError);
    return at + 5;
  }

  #number(): void {
    this.#take(minus);
    if (!this.#take(zero)) this.#digits();
    if (this.#take(dot)) this.#digits();
    if (this.#take(lowerE) || this.#take(upperE)) {
      if (!this.#take(minus)) this.#take(plus);
      this.#digits();
    }
  }

  #digits(): void {
    if (!isDigit(this.#bytes[this.#at])) throw new OutlineError(parseError);
    while (isDigit(this.#bytes[this.#at])) this.#at += 1;
  }

  #skipSpace(): void {
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.#at += 1;
    }
  }

  #take(byte: number): boolean {
    if (this.#bytes[this.#at] !== byte) return false;
    this.#at += 1;
    return true;
  }

  #expect(byte: number): void {
    if (!this.#take(byte)) throw new OutlineError(parseError);
  }
}

const eachByte = 0x01010101;
const highBits = 0x80808080 | 0;

/** Whether each of a word's four bytes is plain text of a string: no quote, no backslash, no control character. */
function isPlain(word: number): boolean {
  const quotes = word ^ (quote * eachByte);
  const slashes = word ^ (backslash * eachByte);
  const special =
    (((word - 0x20 * eachByte) | 0) & ~word) |
    (((quotes - eachByte) | 0) & ~quotes) |
    (((slashes - eachByte) | 0) & ~slashes);
  return (special & highBits) === 0;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= nine;
}
