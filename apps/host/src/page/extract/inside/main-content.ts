import { countCharacters } from './copy-page.ts';
import { parsedHtml, withParsing } from './parse-html.ts';

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

export interface MainContent {
  root: Element;
  source: 'defuddle' | 'readability';
}

/** The extractors take more than linear time. A page with more elements is given whole. */
const maxElements = 60_000;

export function runDefuddle(page: Document, url: string): DefuddleResult | undefined {
  if (page.querySelectorAll('*').length > maxElements) return undefined;
  try {
    return withParsing(() => new Defuddle(page.cloneNode(true) as Document, { url, useAsync: false }).parse());
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

/** The main content by Defuddle, or by Readability if that found hardly anything. */
export function findMainContent(
  page: Document,
  characters: number,
  found: DefuddleResult | undefined,
): MainContent | undefined {
  const first = found?.content ? parsedHtml(found.content) : undefined;
  const firstCharacters = first ? countCharacters(first.textContent ?? '') : 0;
  if (first && firstCharacters >= Math.min(250, characters * 0.5)) return { root: first, source: 'defuddle' };
  const second = runReadability(page);
  const secondCharacters = second ? countCharacters(second.textContent ?? '') : 0;
  if (second && secondCharacters > 2 * firstCharacters && secondCharacters >= 250) {
    return { root: second, source: 'readability' };
  }
  if (first && firstCharacters >= Math.min(100, characters * 0.2)) return { root: first, source: 'defuddle' };
  return undefined;
}
