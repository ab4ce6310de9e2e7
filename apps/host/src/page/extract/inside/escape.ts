/*
 * What keeps text from being read as Markdown. Only what would be read as such is escaped: people and models read the
 * Markdown as it is, and `\[1\]` is worse than `[1]`.
 */

/** Escapes text that stands within a line. */
export function escapeText(text: string): string {
  return (
    text
      .replace(/[\\`]/g, '\\$&')
      .replace(/\*(?! )/g, '\\*')
      .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
      .replace(/\](?=\()/g, ']\\')
      .replace(/\[(?=\^)/g, '\\[')
      .replace(/~(?=~)/g, '\\~')
      .replace(/<(?=[a-zA-Z/!?])/g, '\\<')
      // backtracks: it looks 34 characters ahead at most.
      .replace(/&(?=#?[0-9a-zA-Z]{1,32};)/g, '\\&')
  );
}

/** Escapes what a line would begin with, had it not been a paragraph's. */
export function escapeLineStart(line: string): string {
  if (/^(?:#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|(?:-[ \t]*){3,}$|=+\s*$|~~~)/.test(line)) return `\\${line}`;
  if (line.startsWith('[') && line[line.indexOf(']') + 1] === ':') return `\\${line}`;
  return line.replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2');
}

/** A fence that the text does not contain. */
export function fenced(text: string, language = ''): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${withoutLineEnds(text)}\n${fence}`;
}

/** Without line ends at its end. As an expression this would take quadratic time. */
function withoutLineEnds(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n') end--;
  return text.slice(0, end);
}

/** Code within a line. */
export function inlineCode(text: string): string {
  const code = text.replace(/\s+/g, ' ');
  if (code.trim() === '') return code;
  let longest = 0;
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const ticks = '`'.repeat(longest + 1);
  const space = code.startsWith('`') || code.endsWith('`') ? ' ' : '';
  return `${ticks}${space}${code}${space}${ticks}`;
}

/** The address of a link or image, as Markdown takes it between parentheses. */
export function escapeAddress(address: string): string {
  return address
    .replace(/\s/g, (space) => encodeURIComponent(space))
    .replace(/[()<>\\]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
