/** A block of Markdown, and what is said of its text. */
export interface Measured {
  markdown: string;
  /** The letters and digits of its lines, which are the same however a line is marked. */
  lines: string[];
  /** Characters of text. */
  length: number;
  /** Characters of text that are links. */
  linked: number;
  /** Characters in long lines with few links: what somebody wrote to be read. */
  prose: number;
}

export interface Candidate {
  blocks: Measured[];
  length: number;
  linked: number;
  prose: number;
}

const longLine = 80;

export function measured(blocks: readonly string[]): Candidate {
  return summed(blocks.map(measuredBlock));
}

function summed(blocks: Measured[]): Candidate {
  const sum = { length: 0, linked: 0, prose: 0 };
  for (const { length, linked, prose } of blocks) {
    sum.length += length;
    sum.linked += linked;
    sum.prose += prose;
  }
  return { blocks, ...sum };
}

function measuredBlock(markdown: string): Measured {
  const found: Measured = { markdown, lines: [], length: 0, linked: 0, prose: 0 };
  for (const line of markdown.split('\n')) {
    const { shown, linked } = withoutAddresses(line);
    const text = shown.replace(/^[\s#>|*+-]+/, '').trim();
    const key = text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
    if (key === '') continue;
    found.lines.push(key);
    found.length += text.length;
    found.linked += Math.min(linked, text.length);
    if (text.length > longLine && linked < 0.3 * text.length) found.prose += text.length;
  }
  return found;
}

/** A line without addresses and images, and how many of its characters are links. */
function withoutAddresses(line: string): { shown: string; linked: number } {
  let shown = '';
  let linked = 0;
  let at = 0;
  for (let middle = line.indexOf(']('); middle >= 0; middle = line.indexOf('](', at)) {
    const end = line.indexOf(')', middle);
    if (end < 0) break;
    const before = line.slice(at, middle);
    const open = before.lastIndexOf('[');
    if (before[open - 1] === '!') shown += before.slice(0, open - 1);
    else {
      shown += before;
      linked += before.length - open - 1;
    }
    at = end + 1;
  }
  return { shown: shown + line.slice(at), linked };
}

/** Blocks of one, by whether the other has them. A block is had if most of its lines are. */
function parted(one: Candidate, other: Candidate): { shared: Candidate; own: Candidate } {
  const known = new Set(other.blocks.flatMap(({ lines }) => lines));
  const has = ({ lines }: Measured) => 2 * lines.filter((line) => known.has(line)).length > lines.length;
  const shared = one.blocks.filter(has);
  const own = one.blocks.filter((block) => block.lines.length > 0 && !has(block));
  return { shared: summed(shared), own: summed(own) };
}

export type Choice = 'agreed' | 'first' | 'second' | 'neither';

/*
 * The figures below were chosen with the development part of WCXB. `bench/markdown` measures with pages that were not
 * looked at for that.
 */

/**
 * Which of two extractors to believe. Where they mostly agree, what they agree on is best: each takes other things in
 * that are not content. Where the first has much more text that is not links, the second has found one part of many: one
 * post of a forum, one section. Where both have hardly anything of the page, neither is right.
 */
export function choose(first: Candidate, second: Candidate, page: Candidate): Choice {
  const { shared, own } = parted(first, second);
  const fewLinks = (some: Candidate) => some.linked < 0.4 * some.length;
  if (shared.length > 0.6 * second.length) {
    return own.prose >= 0.4 * first.prose && own.prose > 0 && fewLinks(own) ? 'first' : 'agreed';
  }
  if (first.length > second.length && fewLinks(first)) return 'first';
  if (Math.max(first.length, second.length) < 0.1 * page.length) return 'neither';
  return second.length > 0 ? 'second' : 'first';
}

const isHeading = (block: Measured) => /^#{1,6} /.test(block.markdown);
const isNote = (block: Measured) => block.markdown.startsWith('[^');
/** Lists, definitions, tables and code, which say by themselves that they are content. */
const isStructured = (block: Measured) => /^(?:- |\d+\. |\| |`{3}|> |[^\n]+\n: )/.test(block.markdown);

/**
 * What both have, as the first has it. With it: headings above such blocks, images and formulas between them, notes, and
 * lists, tables and code that only the second has between them. Without paragraphs that are nothing but links.
 */
export function agreedBlocks(first: Candidate, second: Candidate): string[] {
  const shared = new Set(parted(first, second).shared.blocks);
  const later = structuredAfter(second, first);
  const kept: string[] = [];
  let pending: string[] = [];
  for (const block of first.blocks) {
    const bare =
      block.length > 0 && block.linked >= 0.8 * block.length && !isStructured(block) && !isHeading(block);
    if ((shared.has(block) && !bare) || isNote(block)) {
      kept.push(...pending, block.markdown, ...(later.get(block.lines[0] ?? '') ?? []));
      pending = [];
    } else if (isHeading(block)) {
      // A heading without content of its own gives way to the next.
      pending = [...pending.filter((one) => !one.startsWith('#')), block.markdown];
    } else if (block.lines.length > 0) {
      pending = [];
    } else if (kept.length > 0) {
      pending.push(block.markdown);
    }
  }
  return kept;
}

/** Structured blocks that the other does not have, by the first line of the shared block that they follow. */
function structuredAfter(one: Candidate, other: Candidate): Map<string, string[]> {
  const shared = new Set(parted(one, other).shared.blocks);
  const found = new Map<string, string[]>();
  const last = one.blocks.findLastIndex((block) => shared.has(block));
  let before = '';
  for (const block of one.blocks.slice(0, last)) {
    if (shared.has(block)) before = block.lines[0] ?? '';
    else if (before !== '' && isStructured(block) && block.linked < 0.3 * block.length) {
      found.set(before, [...(found.get(before) ?? []), block.markdown]);
    }
  }
  return found;
}
