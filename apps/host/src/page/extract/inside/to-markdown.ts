import { codeBlock } from './code.ts';
import { escapeAddress, escapeLineStart, escapeText, inlineCode } from './escape.ts';
import { imageAddress, isTrackingPixel } from './images.ts';
import { mathMarkdown } from './math.ts';
import { type TableCell, tableRows } from './tables.ts';

/*
 * Markdown (GFM) of elements. One walk over the tree; strings are only joined upwards, and how deep blocks and emphasis
 * nest is limited, so that the time is linear.
 */

const maxNesting = 24;
const maxAddressCharacters = 4000;

const blockNames = new Set(
  (
    'address,article,aside,blockquote,body,center,dd,details,dialog,dir,div,dl,dt,fieldset,figcaption,figure,footer,form,' +
    'h1,h2,h3,h4,h5,h6,header,hgroup,hr,html,legend,li,main,menu,nav,ol,p,pre,search,section,summary,table,tbody,td,tfoot,' +
    'th,thead,tr,ul,caption,video,audio,iframe,listing,xmp'
  ).split(','),
);
const ignoredNames = new Set(
  'script,style,noscript,template,head,title,meta,link,svg,object,embed,select,textarea,canvas,datalist,rp,map,progress,meter,colgroup,frame'.split(
    ',',
  ),
);

interface Walk {
  /** Against which addresses are resolved. */
  base: string;
  /** Elements with a block somewhere inside. */
  withBlocks: Set<Element>;
  /** Notes that something refers to, by their ids. */
  notes: Map<string, Note>;
  /** The characters that may still be written. */
  left: number;
}

interface Note {
  label: string;
  element: Element;
}

/** Where the walk is. */
interface Place {
  nesting: number;
  /** The address that the next text becomes a link to. */
  link?: { address: string; used: boolean };
  inTable?: boolean;
  inHeading?: boolean;
  inLink?: boolean;
  strong?: boolean;
  em?: boolean;
  strike?: boolean;
}

export interface MarkdownBlocks {
  /** Paragraphs, headings, lists and so on. */
  blocks: string[];
  /** Whether the limit was reached. */
  truncated: boolean;
}

export function toBlocks(root: Element, base: string, maxCharacters: number): MarkdownBlocks {
  const walk: Walk = { base, withBlocks: findBlocks(root), notes: findNotes(root), left: maxCharacters };
  const blocks = renderBlocks(walk, root, { nesting: 0 });
  return { blocks, truncated: walk.left <= 0 };
}

/** Elements that have a block inside, in one walk from the leaves. */
function findBlocks(root: Element): Set<Element> {
  const found = new Set<Element>();
  for (const element of root.querySelectorAll('*')) {
    if (!blockNames.has(element.localName)) continue;
    for (let above = element.parentElement; above && !found.has(above); above = above.parentElement) {
      found.add(above);
      if (above === root) break;
    }
  }
  return found;
}

/** Notes at the end of a text: list items, or blocks of their own, that a reference in the text links to. */
function findNotes(root: Element): Map<string, Note> {
  const notes = new Map<string, Note>();
  const byId = new Map<string, Element>();
  const labels = new Set<string>();
  for (const element of root.querySelectorAll('li[id], [role="doc-endnote"][id], .footnote[id]')) {
    if (!byId.has(element.id)) byId.set(element.id, element);
  }
  if (byId.size === 0) return notes;
  for (const link of root.querySelectorAll('sup a[href*="#"], a[role="doc-noteref"], a.footnote-ref')) {
    const id = fragmentOf(link);
    const element = id === undefined ? undefined : byId.get(id);
    if (!element || id === undefined || notes.has(id) || element.contains(link)) continue;
    const text = (link.textContent ?? '').replace(/[^\p{L}\p{N}_-]/gu, '').slice(0, 40);
    const label = text !== '' && !labels.has(text) ? text : `n${notes.size + 1}`;
    labels.add(label);
    notes.set(id, { label, element });
    if (notes.size >= 2000) break;
  }
  return notes;
}

function fragmentOf(link: Element): string | undefined {
  const address = link.getAttribute('href') ?? '';
  const at = address.indexOf('#');
  if (at < 0) return undefined;
  try {
    return decodeURIComponent(address.slice(at + 1));
  } catch {
    return address.slice(at + 1);
  }
}

function isBlock(walk: Walk, element: Element): boolean {
  return blockNames.has(element.localName) || walk.withBlocks.has(element);
}

/** The blocks of an element's children. What stands between blocks is a paragraph. */
function renderBlocks(walk: Walk, parent: Element, place: Place): string[] {
  const blocks: string[] = [];
  let line: Node[] = [];
  const flush = () => {
    if (line.length > 0) blocks.push(...paragraphs(walk, line, place));
    line = [];
  };
  for (const child of parent.childNodes) {
    if (walk.left <= 0) break;
    if (child.nodeType === Node.ELEMENT_NODE && isBlock(walk, child as Element)) {
      flush();
      blocks.push(...renderBlock(walk, child as Element, place));
    } else if (child.nodeType === Node.ELEMENT_NODE || child.nodeType === Node.TEXT_NODE) {
      line.push(child);
    }
  }
  flush();
  return blocks;
}

function paragraphs(walk: Walk, nodes: readonly Node[], place: Place): string[] {
  const text = renderInline(walk, nodes, place);
  const found = text.split(/\n[ \t]*\n\s*/).flatMap((part) => {
    const lines = trimLines(part);
    if (lines === '') return [];
    return [lines.startsWith('$$') ? lines : lines.split('\n').map(escapeLineStart).join('\n')];
  });
  if (place.link && !place.link.used && found.length > 0 && !place.inLink) {
    place.link.used = true;
    found[0] = asLink(found[0] as string, place.link.address);
  }
  for (const block of found) walk.left -= block.length;
  return found;
}

function trimLines(text: string): string {
  return text
    .split('\n')
    .map((line, index, lines) => {
      const trimmed = line.trim();
      const isBreak = line.endsWith('  ') && index < lines.length - 1 && trimmed !== '';
      return isBreak ? `${trimmed}  ` : trimmed;
    })
    .join('\n')
    .trim();
}

function renderBlock(walk: Walk, element: Element, place: Place): string[] {
  const name = element.localName;
  if (ignoredNames.has(name) || walk.left <= 0) return [];
  const deeper = { ...place, nesting: place.nesting + 1 };
  if (place.nesting >= maxNesting) return paragraphs(walk, [element], { ...place, inTable: true });
  const heading = /^h([1-6])$/.exec(name);
  if (heading) return renderHeading(walk, element, Number(heading[1]), place);
  switch (name) {
    case 'hr':
      return ['---'];
    case 'pre':
    case 'listing':
    case 'xmp':
      return write(walk, place.inTable ? inlineCode((element.textContent ?? '').trim()) : codeBlock(element));
    case 'blockquote':
      return prefixed(renderBlocks(walk, element, deeper), '> ', '> ');
    case 'ul':
    case 'ol':
    case 'menu':
    case 'dir':
      return renderList(walk, element, deeper);
    case 'li':
      return renderItem(walk, element, '- ', deeper);
    case 'dl':
      return renderDefinitions(walk, element, deeper);
    case 'table':
      return renderTable(walk, element as HTMLTableElement, deeper);
    case 'summary':
      return renderBlocks(walk, element, place).map((block) =>
        block.includes('\n') ? block : strong(block),
      );
    case 'video':
    case 'audio':
    case 'iframe':
      return write(walk, embedded(walk, element));
    case 'a':
      return renderLinkedBlocks(walk, element, deeper);
    default:
      return renderNote(walk, element, place) ?? renderBlocks(walk, element, deeper);
  }
}

function write(walk: Walk, block: string): string[] {
  walk.left -= block.length;
  return block === '' ? [] : [block];
}

function strong(text: string): string {
  return text.startsWith('**') ? text : `**${text}**`;
}

function prefixed(blocks: readonly string[], first: string, next: string): string[] {
  if (blocks.length === 0) return [];
  const lines = blocks.join('\n\n').split('\n');
  return [lines.map((line, index) => `${index === 0 ? first : next}${line}`.trimEnd()).join('\n')];
}

function renderHeading(walk: Walk, element: Element, level: number, place: Place): string[] {
  const text = paragraphs(walk, [element], { ...place, inHeading: true })
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' ? [] : [`${'#'.repeat(level)} ${text}`];
}

function renderLinkedBlocks(walk: Walk, element: Element, place: Place): string[] {
  const address = addressOf(walk, element);
  if (address === undefined || place.link || place.inLink) return renderBlocks(walk, element, place);
  return renderBlocks(walk, element, { ...place, link: { address, used: false } });
}

function renderList(walk: Walk, list: Element, place: Place): string[] {
  const ordered = list.localName === 'ol';
  let number = Math.trunc(Number(list.getAttribute('start') ?? 1)) || 1;
  if (number < 0) number = 1;
  const items: string[] = [];
  let loose = false;
  for (const child of list.children) {
    if (walk.left <= 0) break;
    const noted = renderNote(walk, child, place);
    if (noted) {
      items.push(...noted);
      continue;
    }
    if (child.localName !== 'li') {
      // Lists directly in lists are nested ones.
      const nested = renderBlock(walk, child, place);
      if (/^(?:ul|ol)$/.test(child.localName) && items.length > 0)
        items.push(...prefixed(nested, '  ', '  '));
      else items.push(...nested);
      continue;
    }
    const rendered = renderItem(walk, child, ordered ? `${number}. ` : '- ', place);
    if (rendered.length === 0) continue;
    number++;
    loose ||= child.querySelectorAll(':scope > p').length > 1;
    items.push(...rendered);
  }
  return items.length === 0 ? [] : [items.join(loose ? '\n\n' : '\n')];
}

function renderItem(walk: Walk, item: Element, marker: string, place: Place): string[] {
  const blocks = renderBlocks(walk, item, place);
  if (blocks.length === 0) return [];
  const indent = ' '.repeat(marker.length);
  // A list that follows text stays close to it.
  const text = blocks.map((block, index) => {
    if (index === 0) return block;
    return /^(?:- |\d+\. )/.test(block) && !blocks[index - 1]?.endsWith('```')
      ? `\n${block}`
      : `\n\n${block}`;
  });
  return prefixed([text.join('')], marker, indent);
}

/** As Pandoc and PHP Markdown Extra write it; elsewhere it is a line that begins with a colon. */
function renderDefinitions(walk: Walk, list: Element, place: Place): string[] {
  const entries: string[] = [];
  let entry = '';
  let defined = false;
  const visit = (parent: Element) => {
    for (const child of parent.children) {
      if (child.localName === 'dt') {
        const term = renderBlocks(walk, child, place).join(' ').replace(/\n+/g, ' ');
        if (defined) {
          entries.push(entry);
          entry = '';
          defined = false;
        }
        if (term !== '') entry += entry === '' ? term : `\n${term}`;
      } else if (child.localName === 'dd') {
        const [definition = ''] = prefixed(renderBlocks(walk, child, place), ': ', '  ');
        if (definition === '') continue;
        entry += entry === '' ? definition.slice(2) : `\n${definition}`;
        defined = true;
      } else {
        visit(child);
      }
    }
  };
  visit(list);
  if (entry !== '') entries.push(entry);
  return entries.length > 0 ? entries : renderBlocks(walk, list, place);
}

/** A note that the text refers to. */
function renderNote(walk: Walk, element: Element, place: Place): string[] | undefined {
  const note = element.id === '' ? undefined : walk.notes.get(element.id);
  if (note?.element !== element) return undefined;
  return prefixed(renderBlocks(walk, element, place), `[^${note.label}]: `, '    ');
}

function renderTable(walk: Walk, table: HTMLTableElement, place: Place): string[] {
  const found = tableRows(table);
  if (!found) return renderBlocks(walk, table, place).filter((block) => block !== '');
  const { caption, rows, header } = found;
  const texts = rows.map((row) => row.map((cell) => renderCell(walk, cell, place)));
  const width = texts[0]?.length ?? 0;
  // Columns and rows without any text are there for the layout.
  const columns = Array.from({ length: width }, (_, index) => index).filter((index) =>
    texts.some((row) => row[index] !== ''),
  );
  const filled = texts
    .map((row) => columns.map((index) => row[index] as string))
    .filter((row, index) => (header && index === 0) || row.some((text) => text !== ''));
  if (columns.length === 0 || filled.length === 0) return [];
  if (!header) filled.unshift(columns.map(() => ''));
  const lines = filled.map((row) => `| ${row.join(' | ')} |`);
  lines.splice(1, 0, `| ${columns.map(() => '---').join(' | ')} |`);
  const captions = caption ? renderBlocks(walk, caption, place) : [];
  return [...captions, lines.join('\n')];
}

function renderCell(walk: Walk, cell: TableCell, place: Place): string {
  if (cell === undefined) return '';
  const blocks = renderBlocks(walk, cell, { ...place, inTable: true });
  return blocks
    .join('<br>')
    .replace(/(?: {2})?\n+/g, '<br>')
    .replace(/\|/g, '\\|')
    .trim();
}

function embedded(walk: Walk, element: Element): string {
  const source = element.getAttribute('src') ?? element.querySelector('source[src]')?.getAttribute('src');
  const address = source ? resolved(walk, source) : undefined;
  if (address === undefined) return '';
  const title = element.getAttribute('title') ?? element.getAttribute('aria-label');
  const kinds: Record<string, string> = { video: 'Video', audio: 'Audio' };
  return asLink(
    escapeText(title?.replace(/\s+/g, ' ').trim() || (kinds[element.localName] ?? 'Frame')),
    address,
  );
}

function renderInline(walk: Walk, nodes: Iterable<Node>, place: Place): string {
  const parts: string[] = [];
  let length = 0;
  for (const node of nodes) {
    if (length > walk.left) break;
    const next =
      node.nodeType === Node.TEXT_NODE
        ? escapeText((node.nodeValue ?? '').replace(/[ \t\r\n\f]+/g, ' '))
        : node.nodeType === Node.ELEMENT_NODE
          ? renderInlineElement(walk, node as Element, place)
          : '';
    append(parts, next);
    length += next.length;
  }
  return parts.join('');
}

/** One space between two parts is enough, and emphasis that ends and begins again goes on. */
function append(parts: string[], next: string): void {
  if (next === '') return;
  const last = parts.at(-1) ?? '';
  if (next.startsWith(' ') && /[ \n]/.test(last.slice(-1))) {
    const rest = next.trimStart();
    parts.push(next.slice(0, next.length - rest.length).includes('\n') ? next : rest);
  } else if (last.endsWith('**') && next.startsWith('**') && !last.endsWith('\\**')) {
    parts.splice(-1, 1, last.slice(0, -2));
    parts.push(next.slice(2));
  } else {
    parts.push(next);
  }
}

function renderInlineElement(walk: Walk, element: Element, place: Place): string {
  const name = element.localName;
  if (ignoredNames.has(name)) return '';
  if (place.nesting > 3 * maxNesting) return escapeText((element.textContent ?? '').replace(/\s+/g, ' '));
  const inner = (changes: Partial<Place> = {}) =>
    renderInline(walk, element.childNodes, { ...place, nesting: place.nesting + 1, ...changes });
  switch (name) {
    case 'br':
      return place.inHeading ? ' ' : '  \n';
    case 'wbr':
    case 'input':
      return '';
    case 'img':
      return renderImage(walk, element);
    case 'math':
      return mathMarkdown(element, !place.inTable && !place.inHeading);
    case 'a':
      return renderLink(walk, element, place);
    case 'strong':
    case 'b':
      return place.strong || place.inHeading ? inner() : emphasised(inner({ strong: true }), '**');
    case 'em':
    case 'i':
      return place.em ? inner() : emphasised(inner({ em: true }), '*');
    case 'del':
    case 's':
    case 'strike':
      return place.strike ? inner() : emphasised(inner({ strike: true }), '~~');
    case 'code':
    case 'kbd':
    case 'samp':
    case 'tt':
      return inlineCode(element.textContent ?? '');
    case 'q':
      return `“${inner().trim()}”`;
    case 'sup':
    case 'sub':
      return renderScript(walk, element, inner);
    case 'rt':
      return `(${inner().trim()})`;
    default: {
      const text = inner();
      // A block within a line, such as a heading in a cell: its end separates words.
      return isBlock(walk, element) && text !== '' ? ` ${text} ` : text;
    }
  }
}

/** White space is outside of the marks: Markdown does not see them otherwise. */
function emphasised(text: string, mark: string): string {
  const core = text.trim();
  if (
    core === '' ||
    core.includes('\n\n') ||
    (/^!?\[[^\]]*\]\([^)]*\)$/.test(core) && mark !== '~~' && core.startsWith('!'))
  )
    return text;
  const before = text.slice(0, text.length - text.trimStart().length);
  const after = text.slice(text.trimEnd().length);
  return `${before}${mark}${core}${mark}${after}`;
}

function renderScript(walk: Walk, element: Element, inner: () => string): string {
  const link = element.localName === 'sup' ? element.querySelector('a[href*="#"]') : null;
  if (link) {
    const marks = [...element.querySelectorAll('a[href*="#"]')]
      .map((one) => noteMark(walk, one) ?? '')
      .join('');
    if (marks !== '') return marks;
  }
  const text = inner().trim();
  return text === '' ? '' : `<${element.localName}>${text}</${element.localName}>`;
}

function noteMark(walk: Walk, link: Element): string | undefined {
  const id = fragmentOf(link);
  const note = id === undefined ? undefined : walk.notes.get(id);
  return note && !note.element.contains(link) ? `[^${note.label}]` : undefined;
}

const backLinkText = /^[↩↑^⏎]\uFE0E?$/u;
const permalinkText = /^[#¶§🔗]?$/u;

function renderLink(walk: Walk, element: Element, place: Place): string {
  const noted =
    element.closest('sup') ||
    element.getAttribute('role') === 'doc-noteref' ||
    element.matches('.footnote-ref');
  if (noted) {
    const mark = noteMark(walk, element);
    if (mark !== undefined) return mark;
  }
  const href = element.getAttribute('href');
  const plain = (element.textContent ?? '').trim();
  if (href?.includes('#')) {
    if (
      backLinkText.test(plain) ||
      element.matches('.footnote-backref, [role="doc-backlink"], .mw-cite-backlink a')
    )
      return '';
    if (place.inHeading && permalinkText.test(plain) && !element.querySelector('img')) return '';
  }
  const text = renderInline(walk, element.childNodes, { ...place, nesting: place.nesting + 1, inLink: true });
  const core = text
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .join(' ');
  if (core === '' || place.inLink) return text;
  if (place.link && !place.link.used) place.link.used = true;
  const address = addressOf(walk, element);
  if (address === undefined) return text;
  const before = /^\s/.test(text) ? ' ' : '';
  const after = /\s$/.test(text) ? ' ' : '';
  return `${before}${asLink(core, address)}${after}`;
}

function asLink(text: string, address: string): string {
  if (text === address && /^https?:[^\s<>]+$/.test(address)) return `<${address}>`;
  return `[${text}](${escapeAddress(address)})`;
}

function addressOf(walk: Walk, link: Element): string | undefined {
  const href = link.getAttribute('href');
  return href === null ? undefined : resolved(walk, href);
}

/** The absolute address, of kinds that mean something elsewhere. */
function resolved(walk: Walk, address: string): string | undefined {
  const url = URL.parse(address.trim().slice(0, maxAddressCharacters + 1), walk.base);
  if (!url || !/^(?:https?|mailto|tel|ftp|magnet):$/.test(url.protocol)) return undefined;
  return url.href.length > maxAddressCharacters ? undefined : url.href;
}

function renderImage(walk: Walk, image: Element): string {
  if (isTrackingPixel(image)) return '';
  const source = imageAddress(image);
  const address = source === undefined ? undefined : resolved(walk, source);
  const alt = (image.getAttribute('alt') ?? '').replace(/\s+/g, ' ').trim();
  if (address === undefined) return '';
  return `![${alt.replace(/[[\]\\]/g, '\\$&')}](${escapeAddress(address)})`;
}
