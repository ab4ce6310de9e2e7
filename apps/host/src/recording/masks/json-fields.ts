import { backslash, isSpace, quote, runEnd } from './characters.ts';
import { type Edit, type IsSecretField, quotedMask } from './field-edits.ts';

/** How much of a name is looked at, from its end. */
const maxNameLength = 200;
const colon = 0x3a;
const dash = 0x2d;

/**
 * Finds secret values in what looks like JSON, whole or in part, or within other text: a quoted name, a colon, and a
 * string or a number. Every quote may begin a name, unless it is inside a value: where one does not, the quote that
 * would have ended it may begin the next. So each character is read twice at most.
 */
export function jsonFields(text: string, isSecret: IsSecretField): Edit[] {
  const edits: Edit[] = [];
  for (let open = text.indexOf('"'); open >= 0; ) {
    const close = stringEnd(text, open + 1);
    if (text.charCodeAt(close) !== quote) {
      open = text.indexOf('"', close + 1);
      continue;
    }
    const at = valueStart(text, close);
    const end = at === undefined || close === open + 1 ? undefined : valueEnd(text, at);
    if (at === undefined || end === undefined) {
      open = close;
      continue;
    }
    const name = text.slice(Math.max(open + 1, close - maxNameLength), close);
    const isString = text.charCodeAt(at) === quote;
    const value = isString ? unescaped(text.slice(at + 1, end)) : text.slice(at, end);
    const last = isString && end < text.length && text.charCodeAt(end) === quote ? end + 1 : end;
    if (isSecret(name, value)) edits.push({ start: at, end: last, by: quotedMask });
    open = text.indexOf('"', last);
  }
  return edits;
}

/** Returns where a value begins behind the name that ends with this quote; undefined if no colon follows. */
function valueStart(text: string, close: number): number | undefined {
  const at = runEnd(text, close + 1, isBlank);
  return text.charCodeAt(at) === colon ? runEnd(text, at + 1, isSpace) : undefined;
}

/** Returns the end of a string, without its quote, or of a number; undefined if it is neither. */
function valueEnd(text: string, at: number): number | undefined {
  const first = text.charCodeAt(at);
  if (first === quote) return stringEnd(text, at + 1);
  const digits = first === dash ? at + 1 : at;
  return isDigit(text.charCodeAt(digits)) ? runEnd(text, digits, isDigitOrDot) : undefined;
}

/** Returns where a string ends that begins at `from`: at its quote, at a backslash before the end of a line, or at the end of the text. */
function stringEnd(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    if (code !== backslash) continue;
    if (at + 1 >= text.length || isLineEnd(text.charCodeAt(at + 1))) return at;
    at++;
  }
  return at;
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isDigitOrDot = (code: number): boolean => isDigit(code) || code === 0x2e;
const isLineEnd = (code: number): boolean =>
  code === 0x0a || code === 0x0d || code === 0x2028 || code === 0x2029;

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['b', '\b'],
  ['f', '\f'],
]);

/** Reads the escapes of a JSON string. What is not one stays what it is: it never throws. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(?:u([\da-f]{4})|([\s\S]))/gi, (_, hex: string | undefined, one = '') =>
    hex === undefined ? (escapes.get(one) ?? one) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
