/**
 * How deep JSON from outside may be nested. `JSON.stringify`, revivers and validators recurse: a value at the edge of
 * the stack passes on the way in and throws on the way out, in whatever code happens to show it.
 */
export const maxJsonDepth = 32;

export class JsonTooDeepError extends Error {
  constructor(maxDepth: number) {
    super(`JSON must be nested at most ${maxDepth} levels deep`);
    this.name = 'JsonTooDeepError';
  }
}

/** Parses JSON that somebody else wrote. Throws on what is nested too deep, before anything is made of it. */
export function parseBoundedJson(json: string): unknown {
  checkJsonDepth(json);
  return JSON.parse(json);
}

export function checkJsonDepth(json: string, maxDepth = maxJsonDepth): void {
  if (isDeeperThan(json, maxDepth)) throw new JsonTooDeepError(maxDepth);
}

const quote = 0x22;
const backslash = 0x5c;
const isOpening = (code: number): boolean => code === 0x5b || code === 0x7b; // [ {
const isClosing = (code: number): boolean => code === 0x5d || code === 0x7d; // ] }

/** Counts brackets outside of strings, in one pass without recursion. What is no JSON gets some answer. */
export function isDeeperThan(json: string, maxDepth: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfString(json, at);
    else if (isOpening(code)) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (isClosing(code)) depth -= 1;
  }
  return false;
}

/** Where a string that begins at `start` ends: at the first quote that no odd number of backslashes stands before. */
function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let first = at;
    while (json.charCodeAt(first - 1) === backslash) first -= 1;
    if ((at - first) % 2 === 0) return at;
  }
  return json.length;
}
