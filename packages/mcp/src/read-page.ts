import { gfm } from '@joplin/turndown-plugin-gfm';
import type { Page } from 'playwright-core';
import TurndownService from 'turndown';

export type ReadFormat = 'markdown' | 'accessibility';

/** How much HTML is converted to Markdown; far more than anybody reads. */
const maxHtmlChars = 3_000_000;
const snapshotTimeoutMs = 15_000;

export interface Excerpt {
  offset: number;
  maxChars: number;
}

/** The page's content from `offset` on, with a note on how to read more. */
export async function readPage(page: Page, format: ReadFormat, excerpt: Excerpt): Promise<string> {
  const whole = format === 'markdown' ? await markdown(page) : await accessibility(page);
  return `${await describePage(page)}\n\n${cut(whole, excerpt)}`;
}

export async function describePage(page: Page): Promise<string> {
  return `Page: ${await page.title()}\nURL: ${page.url()}`;
}

export function cut(whole: string, { offset, maxChars }: Excerpt): string {
  const end = offset + maxChars;
  const part = whole.slice(offset, end);
  if (offset > 0 && part === '') return `[There are ${whole.length} characters, none from ${offset} on.]`;
  if (end >= whole.length) return part;
  return `${part}\n\n[Cut: characters ${offset} to ${end} of ${whole.length}. Continue with offset ${end}.]`;
}

const turndown = new TurndownService({
  headingStyle: 'atx',
  codeBlockStyle: 'fenced',
  bulletListMarker: '-',
}).use(gfm);

async function markdown(page: Page): Promise<string> {
  const html = await page.evaluate<string>(visibleHtml);
  return turndown.turndown(html.slice(0, maxHtmlChars));
}

/** The accessibility tree. Elements have refs such as e12, which click, type and the others take. */
function accessibility(page: Page): Promise<string> {
  return page.ariaSnapshot({ mode: 'ai', timeout: snapshotTimeoutMs });
}

/** Runs in the page: its visible HTML, with absolute links. */
const visibleHtml = `(() => {
  if (!document.body) return '';
  const copy = document.body.cloneNode(true);
  const originals = document.body.querySelectorAll('*');
  const copies = copy.querySelectorAll('*');
  const unread = 'script,style,noscript,template,svg,canvas,iframe,object,embed,link,meta';
  for (let i = 0; i < copies.length; i++) {
    const [original, element] = [originals[i], copies[i]];
    if (original.matches(unread) || getComputedStyle(original).display === 'none') element.remove();
    else if (element.hasAttribute('href') && typeof original.href === 'string') element.setAttribute('href', original.href);
    else if (element.localName === 'img') {
      if (original.currentSrc.startsWith('data:')) element.removeAttribute('src');
      else element.setAttribute('src', original.currentSrc || original.src);
    }
  }
  return copy.innerHTML;
})()`;
