import { escapeAddress, escapeText } from './escape.ts';

/** A piece of text, as PDF.js gives it. */
export interface PdfItem {
  str: string;
  /** Its fifth and sixth number are where the text begins. The origin is at the bottom left. */
  transform: number[];
  width: number;
  height: number;
  hasEOL: boolean;
}

export interface PdfLink {
  url: string;
  /** Left, bottom, right, top. */
  rect: [number, number, number, number];
}

export interface PdfLine {
  /** Markdown, within a line. */
  text: string;
  /** Of most of its characters. */
  size: number;
  left: number;
  right: number;
  bottom: number;
}

/** The lines of a page, in the order of the file. */
export function linesOfPage(items: readonly PdfItem[], links: readonly PdfLink[]): PdfLine[] {
  const lines: PdfLine[] = [];
  let pieces: PdfItem[] = [];
  const flush = () => {
    const line = lineOf(pieces, links);
    if (line) lines.push(line);
    pieces = [];
  };
  for (const item of items) {
    const last = pieces.at(-1);
    if (last && Math.abs(at(item, 5) - at(last, 5)) > 0.6 * Math.max(sizeOf(last), sizeOf(item), 1)) flush();
    pieces.push(item);
    if (item.hasEOL) flush();
  }
  flush();
  return lines;
}

function at(item: PdfItem, index: 4 | 5): number {
  return item.transform[index] ?? 0;
}

function sizeOf(item: PdfItem): number {
  return Math.round(Math.hypot(item.transform[2] ?? 0, item.transform[3] ?? 0) * 2) / 2 || item.height;
}

function lineOf(pieces: readonly PdfItem[], links: readonly PdfLink[]): PdfLine | undefined {
  const shown = pieces.filter(({ str }) => str.trim() !== '');
  const [first] = shown;
  const last = shown.at(-1);
  if (!first || !last) return undefined;
  let text = '';
  let right: number | undefined;
  let open: PdfLink | undefined;
  const close = () => {
    if (open) {
      // The mark after a word is not the link's.
      const linked = text.trimEnd();
      const mark = /[.,;:!?]/.test(linked.slice(-1)) ? linked.slice(-1) : '';
      const space = text.endsWith(' ') ? ' ' : '';
      text = `${linked.slice(0, linked.length - mark.length)}](${escapeAddress(open.url)})${mark}${space}`;
    }
    open = undefined;
  };
  for (const piece of pieces) {
    const gap = right === undefined ? 0 : at(piece, 4) - right;
    if (gap > 0.2 * sizeOf(piece) && !/\s$/.test(text) && !piece.str.startsWith(' ')) text += ' ';
    for (const [part, link] of linkedParts(piece, links)) {
      if (part.trim() !== '') {
        if (link !== open) close();
        if (link && !open) text += '[';
        open = link;
      }
      text += escapeText(part);
    }
    if (piece.str.trim() !== '') right = at(piece, 4) + piece.width;
  }
  close();
  const longest = shown.reduce((best, piece) => (piece.str.length > best.str.length ? piece : best), first);
  return {
    text: text.replace(/ {2,}/g, ' ').trim(),
    size: sizeOf(longest),
    left: at(first, 4),
    right: at(last, 4) + last.width,
    bottom: at(first, 5),
  };
}

/**
 * The words of a piece, each with the link whose area its middle is in. Where a word is follows from how far it is from
 * the beginning of the piece, as if all characters had one width.
 */
function linkedParts(piece: PdfItem, links: readonly PdfLink[]): [text: string, link: PdfLink | undefined][] {
  const text = piece.str.replace(/\s+/g, ' ');
  const y = at(piece, 5) + sizeOf(piece) / 3;
  const near = links.filter(({ rect: [, bottom, , top] }) => y >= bottom && y <= top);
  if (near.length === 0 || text.trim() === '') return [[text, undefined]];
  return Array.from(text.matchAll(/ ?[^ ]+ ?/g), ({ 0: word, index }) => {
    const x = at(piece, 4) + ((index + word.length / 2) / text.length) * piece.width;
    return [word, near.find(({ rect: [left, , right] }) => x >= left && x <= right)];
  });
}
