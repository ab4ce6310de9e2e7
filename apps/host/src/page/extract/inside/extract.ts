import { type Extracted, type ExtractOptions, maxMarkdownCharacters, type PageFacts } from '../extracted.ts';
import { simplifyCode } from './code.ts';
import { type CopyOptions, copyPage, type PageCopy } from './copy-page.ts';
import { fact, frontMatter } from './front-matter.ts';
import { findMainContent, runDefuddle } from './main-content.ts';
import { simplifyMath } from './math.ts';
import { fileName, markdownOfMedia, markdownOfText, targetKind } from './targets.ts';
import { toMarkdown } from './to-markdown.ts';

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
  const found = runDefuddle(page, options.url);
  const facts = pageFacts(page, found);
  const rest = { ...facts, ...(copy.truncated ? { truncated: true } : {}) };
  if (options.includeTags?.length) {
    const roots = selected(page, 'includeTags', options.includeTags);
    const body = page.createElement('body');
    body.append(...roots.filter((root) => !roots.some((other) => other !== root && other.contains(root))));
    return { ...rest, source: 'selected', ...toMarkdown(body, page.baseURI, maxMarkdownCharacters) };
  }
  if (options.onlyMainContent !== false) {
    const main = findMainContent(page, copy.characters, found);
    if (main) {
      const { markdown, truncated } = toMarkdown(main.root, page.baseURI, maxMarkdownCharacters);
      if (markdown !== '')
        return { ...rest, source: main.source, markdown, ...(truncated ? { truncated } : {}) };
    }
  }
  const { markdown, truncated } = toMarkdown(page.body, page.baseURI, maxMarkdownCharacters);
  return { ...rest, source: 'page', markdown, ...(truncated ? { truncated } : {}) };
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
  const found = new Set<Element>();
  for (const selector of selectors) {
    try {
      for (const element of page.body.querySelectorAll(selector)) found.add(element);
    } catch {
      throw new Error(`${name}: "${selector}" is not a CSS selector.`);
    }
  }
  return [...found].sort((a, b) =>
    a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
  );
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
