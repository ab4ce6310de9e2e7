/**
 * Maximum nesting of JSON from outside. `JSON.stringify`, revivers and validators recurse: a value that is almost too
 * deep for the stack can be parsed, and then throws in any code that prints it.
 */
export const maxJsonDepth = 32;

export class JsonTooDeepError extends Error {
  constructor(maxDepth: number) {
    super(`JSON must be nested at most ${maxDepth} levels deep`);
    this.name = 'JsonTooDeepError';
  }
}

/** Parses JSON from outside. Throws if it is nested too deep, before it creates any value. */
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

/** Counts brackets outside of strings, in one pass without recursion. The result is undefined for invalid JSON. */
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

/** Finds the end of a string that begins at `start`: the first quote after an even number of backslashes. */
function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let first = at;
    while (json.charCodeAt(first - 1) === backslash) first -= 1;
    if ((at - first) % 2 === 0) return at;
  }
  return json.length;
}
