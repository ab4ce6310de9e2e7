import { isSpace, isWord, isWordOrDash, runEnd } from './characters.ts';
import type { Range } from './piece-index.ts';

const minTokenLength = 6;
const minJwtStart = 8;
const dot = 0x2e;

/** Finds what is a credential by its looks: JWTs, and what follows `Bearer` and the like. */
export function findTokens(text: string): Range[] {
  return [...findJwts(text), ...findCredentials(text)];
}

/** Finds `\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)*`. */
function findJwts(text: string): Range[] {
  const found: Range[] = [];
  for (let start = text.indexOf('eyJ'), next = 0; start >= 0; start = text.indexOf('eyJ', next)) {
    next = start + 3;
    if (start > 0 && isWord(text.charCodeAt(start - 1))) continue;
    const end = runEnd(text, next, isWordOrDash);
    const isLong = end - next >= minJwtStart;
    // Others in the same run of characters end at the same place, and for the same reason are none.
    next = end;
    if (!isLong || text.charCodeAt(end) !== dot || !isWordOrDash(text.charCodeAt(end + 1))) continue;
    next = runEnd(text, end, (code) => isWordOrDash(code) || code === dot);
    found.push({ start, end: next });
  }
  return found;
}

const tokenPunctuation = new Set([...'+/=.~-'].map((one) => one.charCodeAt(0)));
const isTokenCharacter = (code: number): boolean => isWord(code) || tokenPunctuation.has(code);

/** Finds the credentials in `\b(bearer|basic|digest)\s+[\w+/=.~-]{6,}`. */
function findCredentials(text: string): Range[] {
  const found: Range[] = [];
  const scheme = /(?:bearer|basic|digest)\s/gi;
  for (let match = scheme.exec(text); match; match = scheme.exec(text)) {
    if (match.index > 0 && isWord(text.charCodeAt(match.index - 1))) continue;
    const start = runEnd(text, scheme.lastIndex, isSpace);
    const end = runEnd(text, start, isTokenCharacter);
    scheme.lastIndex = start;
    if (end - start < minTokenLength) continue;
    scheme.lastIndex = end;
    found.push({ start, end });
  }
  return found;
}
