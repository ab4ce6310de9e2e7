/** Kinds of characters, by their codes. */

export const backslash = 0x5c;
export const quote = 0x22;
const [tab, returnChar, space, noBreakSpace] = [0x09, 0x0d, 0x20, 0xa0];

/** As `\s`. */
export function isSpace(code: number): boolean {
  if (code === space || (code >= tab && code <= returnChar) || code === noBreakSpace) return true;
  return code > 0xff && otherSpaces.has(code);
}
const otherSpaces = new Set(
  [
    ...'\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff',
  ].map((one) => one.charCodeAt(0)),
);

/** As `\w`. */
export const isWord = (code: number): boolean => code < 0x80 && kinds[code] === 1;
/** As `[\w-]`: what the parts of a JWT are made of. */
export const isWordOrDash = (code: number): boolean => isWord(code) || code === dash;
const dash = 0x2d;

const kinds = new Uint8Array(0x80);
for (const one of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_')
  kinds[one.charCodeAt(0)] = 1;

/** Returns the end of the run of such characters that begins at `from`. */
export function runEnd(text: string, from: number, isOne: (code: number) => boolean): number {
  let at = from;
  while (at < text.length && isOne(text.charCodeAt(at))) at++;
  return at;
}
