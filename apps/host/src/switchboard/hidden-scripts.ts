/** A script as DevTools knows it: the SHA-256 of its source, and how many characters that has. */
export interface ScriptIdentity {
  hash: string;
  length: number;
}

/** Behind the id of a script without an address comes its place, and then its hash. */
const parsed =
  /^\{"method":"Debugger\.scriptParsed","params":\{"scriptId":"(\d+)",(?:"url":"",[^{}]{0,200}?"hash":"([0-9a-f]{64})")?/;
const parsedBytes = 400;

/** How an answer with coverage starts: no other has a list of scripts there. */
const coverage = /^\{"id":-?\d+,"result":\{"result":\[\{"scriptId":"/;
/** How a script without an address starts there; the range is there when the whole script is. */
const covered =
  /^\{"scriptId":"(\d+)","url":"","functions":\[\{"functionName":"(?:","ranges":\[\{"startOffset":0,"endOffset":(\d+),)?/;
const coveredBytes = 160;
/** Quotes inside a string are escaped: neither is found in one. */
const [scriptStart, listEnd] = [Buffer.from('{"scriptId":"'), Buffer.from('}]}]')];

const firstOfMethod = '{"method":"'.length;
const [letterD, letterI] = ['D'.charCodeAt(0), 'i'.charCodeAt(0)];

/**
 * Takes the host's own scripts out of what a client with a debugger or a profiler is told: to it they are not there.
 * Such messages may be large, and other clients wait meanwhile: they are searched, not parsed.
 */
export class HiddenScripts {
  readonly #scripts: readonly ScriptIdentity[];
  /** Ids of hidden scripts that were seen in this session. */
  readonly #ids = new Set<string>();

  constructor(scripts: readonly ScriptIdentity[]) {
    this.#scripts = scripts;
  }

  /** Undefined: it passes as it is; null: it does not pass; otherwise, what does in its place. */
  replace(bytes: Buffer, start: number, end: number): Buffer | null | undefined {
    if (bytes[start + firstOfMethod] === letterD) {
      return this.#isHiddenParsed(textAt(bytes, start, end, parsedBytes)) ? null : undefined;
    }
    if (bytes[start + 2] !== letterI || !coverage.test(textAt(bytes, start, end, coveredBytes)))
      return undefined;
    return this.#withoutHidden(bytes.subarray(start, end));
  }

  #isHiddenParsed(text: string): boolean {
    const [, id, hash] = parsed.exec(text) ?? [];
    if (id === undefined) return false;
    const isHidden = this.#scripts.some((script) => script.hash === hash);
    if (isHidden) this.#ids.add(id);
    else this.#ids.delete(id); // Another process counts from the beginning.
    return isHidden;
  }

  #withoutHidden(message: Buffer): Buffer | undefined {
    const first = message.indexOf(scriptStart);
    const last = message.lastIndexOf(listEnd) + listEnd.length - 1;
    if (last < first) return undefined;
    const shown: Buffer[] = [];
    let isAnyHidden = false;
    for (let at = first; at < last; ) {
      const next = message.indexOf(scriptStart, at + 1);
      const end = next === -1 ? last : next - 1; // A comma is between them.
      if (this.#isHiddenCovered(textAt(message, at, end, coveredBytes))) isAnyHidden = true;
      else shown.push(comma, message.subarray(at, end));
      at = end + 1;
    }
    if (!isAnyHidden) return undefined;
    return Buffer.concat([message.subarray(0, first), ...shown.slice(1), message.subarray(last)]);
  }

  /** All of a script is named at first, and later only what was called since then. */
  #isHiddenCovered(text: string): boolean {
    const [, id, length] = covered.exec(text) ?? [];
    if (id === undefined) return false;
    if (length === undefined) return this.#ids.has(id);
    const isHidden = this.#scripts.some((script) => script.length === Number(length));
    if (isHidden) this.#ids.add(id);
    else this.#ids.delete(id);
    return isHidden;
  }
}

const comma = Buffer.from(',');

function textAt(bytes: Buffer, start: number, end: number, maxBytes: number): string {
  return bytes.toString('latin1', start, Math.min(start + maxBytes, end));
}
