import { maxMarkdownCharacters } from '../extracted.ts';
import { agreedBlocks, choose, measured } from './agreement.ts';
import { parsedHtml, withParsing } from './parse-html.ts';
import { type MarkdownBlocks, toBlocks } from './to-markdown.ts';

/** What this uses of Defuddle's result. */
interface DefuddleResult {
  content: string;
  title?: string;
  author?: string;
  published?: string;
  description?: string;
  language?: string;
  site?: string;
}

declare const Defuddle: new (
  document: Document,
  options: { url: string; useAsync: false },
) => { parse(): DefuddleResult };
declare const Readability: new (
  document: Document,
  options: { maxElemsToParse: number; keepClasses: true },
) => { parse(): { content?: string | null } | null };

export interface MainContent extends MarkdownBlocks {
  source: 'defuddle' | 'readability' | 'page';
}

/** The extractors take more than linear time. A page with more elements is given whole. */
const maxElements = 60_000;

export function runDefuddle(page: Document, url: string): DefuddleResult | undefined {
  if (page.querySelectorAll('*').length > maxElements) return undefined;
  try {
    return withParsing(() =>
      new Defuddle(page.cloneNode(true) as Document, { url, useAsync: false }).parse(),
    );
  } catch {
    return undefined;
  }
}

function runReadability(page: Document): Element | undefined {
  try {
    const options = { maxElemsToParse: maxElements, keepClasses: true } as const;
    const found = withParsing(() => new Readability(page.cloneNode(true) as Document, options).parse());
    const content = found?.content;
    return content ? parsedHtml(content) : undefined;
  } catch {
    return undefined;
  }
}

/** What is no content wherever it is. */
const boilerplate =
  'nav, footer, aside, dialog, [role="navigation"], [role="contentinfo"], [role="banner"], [role="complementary"], [role="search"], [role="dialog"], [role="alertdialog"], [aria-modal="true"], [class*="cookie" i], [id*="cookie" i], [class*="consent" i], [id*="consent" i], [class*="breadcrumb" i]';

/** A copy of the body without navigation and the like. */
function cleanedBody(page: Document): Element {
  const body = page.body.cloneNode(true) as Element;
  for (const element of body.querySelectorAll(boilerplate)) element.remove();
  for (const header of body.querySelectorAll('header')) {
    if (!header.querySelector('h1') && !header.closest('main, article')) header.remove();
  }
  return body;
}

/** The main content as Defuddle and Readability find it, or else the page without its navigation. */
export function findMainContent(page: Document, found: DefuddleResult | undefined): MainContent | undefined {
  const blocksOf = (root: Element | undefined): MarkdownBlocks =>
    root ? toBlocks(root, page.baseURI, maxMarkdownCharacters) : { blocks: [], truncated: false };
  const defuddle = blocksOf(found?.content ? parsedHtml(found.content) : undefined);
  const readability = blocksOf(runReadability(page));
  const cleaned = blocksOf(cleanedBody(page));
  const [first, second] = [measured(defuddle.blocks), measured(readability.blocks)];
  switch (choose(first, second, measured(cleaned.blocks))) {
    case 'agreed':
      return { ...defuddle, blocks: withTopHeadings(page, agreedBlocks(first, second)), source: 'defuddle' };
    case 'first':
      return { ...defuddle, blocks: withTopHeadings(page, defuddle.blocks), source: 'defuddle' };
    case 'second':
      return { ...readability, blocks: withTopHeadings(page, readability.blocks), source: 'readability' };
    case 'neither':
      return cleaned.blocks.length > 0 ? { ...cleaned, source: 'page' } : undefined;
  }
}

/** Both extractors make `<h2>` of every `<h1>`. What the page has as `<h1>` alone is one again. */
function withTopHeadings(page: Document, blocks: readonly string[]): string[] {
  // Not one within another: their text would be read again for each.
  const keys = (name: string) =>
    Array.from(page.querySelectorAll(`${name}:not(${name} *)`), ({ textContent }) =>
      headingKey(textContent ?? ''),
    );
  const top = new Set(keys('h1')).difference(new Set(keys('h2')));
  return blocks.map((block) =>
    block.startsWith('## ') && top.has(headingKey(block)) ? block.slice(1) : block,
  );
}

const headingKey = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, '');
