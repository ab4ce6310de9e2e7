import type { FilteredClient, MessageFilter, Replacement } from './message-filter.ts';

/** How DevTools identifies a script: the SHA-256 of its source, and the length of that in characters. */
export interface ScriptIdentity {
  hash: string;
  length: number;
}

/** The start of an event about a script. If the script has no URL, its position follows, and then its hash. */
const parsed =
  /^\{"method":"Debugger\.scriptParsed","params":\{"scriptId":"(\d+)",(?:"url":"",[^{}]{0,200}?"hash":"([0-9a-f]{64})")?/;
const parsedBytes = 400;

/** The start of an answer with coverage. No other answer has a list of scripts there. */
const coverage = /^\{"id":-?\d+,"result":\{"result":\[\{"scriptId":"/;
/** The start of a script without a URL in that list. It has a range if the whole script is listed. */
const covered =
  /^\{"scriptId":"(\d+)","url":"","functions":\[\{"functionName":"(?:","ranges":\[\{"startOffset":0,"endOffset":(\d+),)?/;
const coveredBytes = 160;
/** Neither occurs inside a string, where quotes are escaped. */
const [scriptStart, listEnd] = [Buffer.from('{"scriptId":"'), Buffer.from('}]}]')];

const firstOfMethod = '{"method":"'.length;
const [letterD, letterI] = ['D'.charCodeAt(0), 'i'.charCodeAt(0)];

/** Hides the host's own scripts from clients with a debugger or a profiler, by the CDP sessions that are told of them. */
export class HiddenScriptFilter implements MessageFilter {
  readonly #hidden = new Map<string, HiddenScripts>();

  hide(cdpSessionId: string, scripts: readonly ScriptIdentity[]): void {
    if (!this.#hidden.has(cdpSessionId)) this.#hidden.set(cdpSessionId, new HiddenScripts(scripts));
  }

  fromClient(): undefined {}

  fromBrowser(
    _client: FilteredClient,
    cdpSessionId: string,
    bytes: Buffer,
    start: number,
    end: number,
  ): Replacement {
    return this.#hidden.get(cdpSessionId)?.replace(bytes, start, end);
  }

  detached(cdpSessionId: string): void {
    this.#hidden.delete(cdpSessionId);
  }
}

/**
 * Removes the host's own scripts from what one CDP session is told. Such messages may be large, and other clients wait
 * meanwhile, so they are searched and not parsed.
 */
export class HiddenScripts {
  readonly #scripts: readonly ScriptIdentity[];
  /** Ids of hidden scripts that were seen in this CDP session. */
  readonly #ids = new Set<string>();

  constructor(scripts: readonly ScriptIdentity[]) {
    this.#scripts = scripts;
  }

  replace(bytes: Buffer, start: number, end: number): Replacement {
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
    else this.#ids.delete(id); // After a change of process, ids start again.
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

  /** The whole script is listed at first, and later only what was called since then. */
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
