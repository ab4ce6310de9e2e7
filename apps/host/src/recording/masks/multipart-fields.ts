import { isWord, runEnd } from './characters.ts';
import type { Edit, IsSecretField } from './field-edits.ts';
import { masked } from './secret-set.ts';

const maxNameLength = 200;
const maxLineLength = 300;
const maxLines = 5;

const isInLine = (code: number): boolean => code !== 0x0a && code !== 0x0d;

/**
 * Finds secret values in a multipart form: `name="…"` in a line of headers, an empty line, and the value up to the next
 * boundary.
 */
export function multipartFields(text: string, isSecret: IsSecretField): Edit[] {
  const edits: Edit[] = [];
  let lineEnd = -1;
  let valueStart: number | undefined;
  for (let at = text.indexOf('name="'), next = 0; at >= 0; at = text.indexOf('name="', next)) {
    next = at + 'name="'.length;
    // Names in one line have the same headers behind them.
    if (lineEnd < next) {
      lineEnd = runEnd(text, next, isInLine);
      valueStart = endOfHeaders(text, lineEnd);
    }
    const end = text.indexOf('"', next);
    if (end === -1) break;
    const isName = end > next && end - next <= maxNameLength && end < lineEnd && !isWordBefore(text, at);
    if (!isName || valueStart === undefined || lineEnd - (end + 1) > maxLineLength) continue;
    const boundary = text.indexOf('\r\n--', valueStart);
    const valueEnd = boundary === -1 ? text.length : boundary;
    const name = text.slice(next, end);
    if (isSecret(name, text.slice(valueStart, valueEnd)))
      edits.push({ start: valueStart, end: valueEnd, by: masked });
    next = valueEnd;
  }
  return edits;
}

const isWordBefore = (text: string, at: number): boolean => at > 0 && isWord(text.charCodeAt(at - 1));

/** Returns where the value begins if few and short lines of headers follow this one, and then an empty line. */
function endOfHeaders(text: string, lineEnd: number): number | undefined {
  let at = lineEnd;
  for (let lines = 0; lines <= maxLines && text.startsWith('\r\n', at); lines++) {
    if (text.startsWith('\r\n', at + 2)) return at + 4;
    const end = runEnd(text, at + 2, isInLine);
    if (end - (at + 2) > maxLineLength) return undefined;
    at = end;
  }
  return undefined;
}
