import { isSpace, isWord, quote, runEnd } from './characters.ts';
import { type Edit, quotedMask } from './field-edits.ts';

/** How much of an element is looked at, from its start. */
const maxElementLength = 4096;
const [greater, slash, equals, apostrophe] = [0x3e, 0x2f, 0x3d, 0x27];

/** Finds the values of `<input>` elements, in HTML or within other text, that may not be recorded. */
export function inputFields(text: string, isSecret: (input: InputElement) => boolean): Edit[] {
  const edits: Edit[] = [];
  for (let at = text.indexOf('<'); at >= 0; ) {
    const from = at + '<input'.length;
    if (!isInput(text, at)) {
      at = text.indexOf('<', at + 1);
      continue;
    }
    const input = readAttributes(text, from, Math.min(text.length, from + maxElementLength));
    if (input.value && isSecret(input)) {
      const { start, end } = input.value;
      edits.push({ start, end, by: quotedMask });
    }
    at = text.indexOf('<', input.end);
  }
  return edits;
}

interface Attribute {
  text: string;
  /** With its quotes. */
  start: number;
  end: number;
}

export interface InputElement {
  type?: Attribute;
  name?: Attribute;
  value?: Attribute;
  end: number;
}

function isInput(text: string, at: number): boolean {
  // Most elements differ in the first letter.
  if ((text.charCodeAt(at + 1) | 0x20) !== 0x69) return false;
  const behind = at + '<input'.length;
  return text.slice(at + 1, behind).toLowerCase() === 'input' && !isWord(text.charCodeAt(behind));
}

const isBetween = (code: number): boolean => isSpace(code) || code === slash;
const isInName = (code: number): boolean => !isBetween(code) && code !== equals && code !== greater;
const isInBareValue = (code: number): boolean => !isSpace(code) && code !== greater;

function readAttributes(text: string, from: number, limit: number): InputElement {
  const found: InputElement = { end: limit };
  let at = runEnd(text, from, isBetween);
  for (; at < limit; at = runEnd(text, at, isBetween)) {
    if (text.charCodeAt(at) === greater) return { ...found, end: at + 1 };
    const nameEnd = runEnd(text, at, isInName);
    const name = nameEnd - at <= 'value'.length ? text.slice(at, nameEnd).toLowerCase() : '';
    const sign = runEnd(text, nameEnd, isSpace);
    if (text.charCodeAt(sign) !== equals) {
      at = Math.max(sign, at + 1);
      continue;
    }
    const value = readValue(text, runEnd(text, sign + 1, isSpace));
    if (name === 'type' || name === 'name' || name === 'value') found[name] ??= value;
    at = value.end;
  }
  return { ...found, end: at };
}

function readValue(text: string, start: number): Attribute {
  const first = text.charCodeAt(start);
  const close =
    first === quote || first === apostrophe ? text.indexOf(String.fromCharCode(first), start + 1) : -1;
  if (close !== -1 && close - start <= maxElementLength) {
    return { text: text.slice(start + 1, close), start, end: close + 1 };
  }
  const end = runEnd(text, start, isInBareValue);
  return { text: text.slice(start, end), start, end };
}
