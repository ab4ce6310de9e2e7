import { type Extracted, type ExtractOptions, maxMarkdownCharacters, type PageFacts } from '../extracted.ts';
import { simplifyCode } from './code.ts';
import { type CopyOptions, copyPage, type PageCopy } from './copy-page.ts';
import { fact, frontMatter } from './front-matter.ts';
import { findMainContent, runDefuddle } from './main-content.ts';
import { simplifyMath } from './math.ts';
import { fileName, markdownOfMedia, markdownOfText, targetKind } from './targets.ts';
import { type MarkdownBlocks, toBlocks } from './to-markdown.ts';

/** Markdown of the page that this runs in. It changes nothing in the page, and nothing of it is loaded. */
export function extract(options: ExtractOptions): Extracted {
  const found = extractTarget(options);
  const truncated = found.truncated || found.markdown.length > maxMarkdownCharacters;
  const facts = options.frontMatter === false ? '' : frontMatter(found, options.url);
  const note = truncated ? '\n\n> The page is longer. The rest is left out.' : '';
  const body = found.markdown.slice(0, maxMarkdownCharacters).toWellFormed().trimEnd();
  return { ...found, markdown: `${facts}${body}${note}\n`, ...(truncated ? { truncated } : {}) };
}

function extractTarget(options: ExtractOptions): Extracted {
  const kind = targetKind(options.contentType);
  if (kind === 'html' && options.text === undefined) return extractPage(options);
  if (kind === 'image' || kind === 'media') {
    const { naturalWidth: width = 0, naturalHeight: height = 0 } = document.images[0] ?? {};
    const size = kind === 'image' ? { width, height } : undefined;
    return { title: fileName(options.url), source: kind, markdown: markdownOfMedia(options.url, size) };
  }
  const text = (options.text ?? documentText(kind)).slice(0, 2 * maxMarkdownCharacters);
  const textKind = kind === 'html' ? 'text' : kind;
  return { title: fileName(options.url), ...markdownOfText(textKind, options.contentType, text) };
}

/** The text of a target that the browser shows as text. */
function documentText(kind: string): string {
  if (kind === 'xml') {
    const source = document.querySelector('#webkit-xml-viewer-source-xml');
    const root = source?.firstElementChild ?? document.documentElement;
    return root ? new XMLSerializer().serializeToString(root) : '';
  }
  return document.querySelector('body > pre')?.textContent ?? document.body?.textContent ?? '';
}

function extractPage(options: ExtractOptions): Extracted {
  const copy = copyShown();
  const page = copy.document;
  for (const element of selected(page, 'excludeTags', options.excludeTags)) element.remove();
  simplifyMath(page.body);
  simplifyCode(page.body);
  simplifyTasks(page.body);
  const found = runDefuddle(page, options.url);
  const facts = pageFacts(page, found);
  const rest = { ...facts, ...(copy.truncated ? { truncated: true } : {}) };
  const answer = ({ blocks, truncated }: MarkdownBlocks, source: Extracted['source']): Extracted => ({
    ...rest,
    source,
    markdown: blocks.join('\n\n'),
    ...(truncated ? { truncated } : {}),
  });
  if (options.includeTags?.length) {
    const roots = selected(page, 'includeTags', options.includeTags);
    const body = page.createElement('div');
    body.append(...(page.body.matches(options.includeTags.join(', ')) ? [page.body] : outermost(roots)));
    return answer(toBlocks(body, page.baseURI, maxMarkdownCharacters), 'selected');
  }
  const main = options.onlyMainContent === false ? undefined : findMainContent(page, found);
  if (main && main.blocks.length > 0) return answer(main, main.source);
  return answer(toBlocks(page.body, page.baseURI, maxMarkdownCharacters), 'page');
}

/** Boxes of task lists become text: whatever looks for the main content leaves fields out. */
function simplifyTasks(body: Element): void {
  const boxes =
    'li > input[type="checkbox"], li > label > input[type="checkbox"], li > p > input[type="checkbox"]';
  for (const box of body.querySelectorAll(boxes))
    box.replaceWith(box.hasAttribute('checked') ? '[x] ' : '[ ] ');
}

/** Of elements in the order of the document: those that are in no other. */
function outermost(elements: readonly Element[]): Element[] {
  const found: Element[] = [];
  for (const element of elements) if (!found.at(-1)?.contains(element)) found.push(element);
  return found;
}

/** A copy of what is shown. If that is next to nothing, then with what frames show, or what is hidden. */
function copyShown(): PageCopy {
  const tries: CopyOptions[] = [
    { withHidden: false, withFrames: document.body?.localName === 'frameset' },
    { withHidden: false, withFrames: true },
    { withHidden: true, withFrames: true },
  ];
  let best: PageCopy | undefined;
  for (const one of tries) {
    const copy = copyPage(document, one);
    if (!best || copy.characters > 2 * best.characters) best = copy;
    if (best.characters >= 200) break;
  }
  return best as PageCopy;
}

function selected(page: Document, name: string, selectors: readonly string[] = []): Element[] {
  for (const selector of selectors) {
    try {
      page.createDocumentFragment().querySelector(selector);
    } catch {
      throw new Error(`${name}: "${selector}" is not a CSS selector.`);
    }
  }
  return selectors.length === 0 ? [] : [...page.body.querySelectorAll(selectors.join(', '))];
}

function pageFacts(page: Document, found: Partial<Record<keyof PageFacts, unknown>> | undefined): PageFacts {
  const meta = (selector: string) => page.head.querySelector(selector)?.getAttribute('content');
  const link = page.head.querySelector('link[rel~="canonical"]')?.getAttribute('href');
  const canonical = link ? URL.parse(link, page.baseURI)?.href : undefined;
  const facts: Record<keyof PageFacts, string | undefined> = {
    title: fact(found?.title) ?? fact(page.title),
    author: fact(found?.author) ?? fact(meta('meta[name="author" i]')),
    published: fact(found?.published) ?? fact(meta('meta[property="article:published_time"]')),
    description: fact(found?.description) ?? fact(meta('meta[name="description" i]')),
    language: fact(page.documentElement.lang) ?? fact(found?.language),
    canonical: fact(canonical),
    site: fact(found?.site) ?? fact(meta('meta[property="og:site_name"]')),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
