import { escapeLineStart } from './escape.ts';
import type { PdfLine } from './pdf-lines.ts';

/** Headings by font size, paragraphs by distance, and a rule between pages. */
export function markdownOfPages(pages: readonly PdfLine[][]): string {
  const kept = withoutRunningLines(pages);
  const body = bodySize(kept);
  const levels = headingLevels(kept, body);
  return kept
    .map((lines) => blocksOfPage(lines, levels).join('\n\n'))
    .filter((text) => text !== '')
    .join('\n\n---\n\n');
}

/** The size of most of the text. */
function bodySize(pages: readonly PdfLine[][]): number {
  const characters = new Map<number, number>();
  for (const { size, text } of pages.flat()) characters.set(size, (characters.get(size) ?? 0) + text.length);
  let best = 0;
  for (const [size, count] of characters) if (count > (characters.get(best) ?? 0)) best = size;
  return best;
}

/** The level of each size that is clearly above that of the text: the largest is the first. */
function headingLevels(pages: readonly PdfLine[][], body: number): Map<number, number> {
  const sizes = new Set(
    pages.flat().flatMap(({ size, text }) => (size >= 1.15 * body && text.length <= 200 ? [size] : [])),
  );
  const descending = [...sizes].sort((a, b) => b - a);
  return new Map(descending.map((size, index) => [size, Math.min(index + 1, 4)]));
}

/** Without the headers and footers of pages: lines that most pages begin or end with, but for numbers. */
function withoutRunningLines(pages: readonly PdfLine[][]): PdfLine[][] {
  if (pages.length < 3) return [...pages];
  const key = (line: PdfLine | undefined) => line?.text.replace(/\d+/g, '#') ?? '';
  const counts = new Map<string, number>();
  for (const lines of pages) {
    for (const edge of new Set([key(lines[0]), key(lines.at(-1))]))
      counts.set(edge, (counts.get(edge) ?? 0) + 1);
  }
  const runs = (line: PdfLine | undefined) => (counts.get(key(line)) ?? 0) > pages.length / 2;
  return pages.map((lines) => lines.slice(runs(lines[0]) ? 1 : 0, runs(lines.at(-1)) ? -1 : undefined));
}

const bullet = /^[•◦▪■●○‣∙·–]\s*/u;

function blocksOfPage(lines: readonly PdfLine[], levels: ReadonlyMap<number, number>): string[] {
  const blocks: string[] = [];
  const right = Math.max(...lines.map((line) => line.right));
  let text = '';
  let last: PdfLine | undefined;
  const flush = () => {
    if (text !== '') blocks.push(finished(text, last, levels));
    text = '';
  };
  for (const line of lines) {
    if (last && begins(line, last, right)) flush();
    text = text === '' ? line.text : joinedLines(text, line.text);
    last = line;
  }
  flush();
  return blocks;
}

function finished(text: string, line: PdfLine | undefined, levels: ReadonlyMap<number, number>): string {
  const level = text.length <= 300 && line ? levels.get(line.size) : undefined;
  if (level) return `${'#'.repeat(level)} ${text}`;
  return bullet.test(text) ? `- ${text.replace(bullet, '')}` : escapeLineStart(text);
}

/** Whether a line begins a paragraph. */
function begins(line: PdfLine, last: PdfLine, right: number): boolean {
  if (line.size !== last.size && Math.abs(line.size - last.size) > 0.1 * last.size) return true;
  const distance = last.bottom - line.bottom;
  // The next column begins above.
  if (distance < 0) return /[.!?:]["”’)]?$/.test(last.text);
  if (distance > 1.6 * line.size || bullet.test(line.text)) return true;
  return /[.!?:]["”’)]?$/.test(last.text) && last.right < right - 6 * line.size;
}

function joinedLines(text: string, next: string): string {
  if (/\p{L}[-\u00AD]$/u.test(text) && /^\p{Ll}/u.test(next)) return text.slice(0, -1) + next;
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(text)
    ? text + next
    : `${text} ${next}`;
}
