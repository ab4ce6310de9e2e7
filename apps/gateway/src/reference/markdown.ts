import MarkdownIt, { type Token } from 'markdown-it';
import { Html } from './html.ts';
import { sample } from './sample.ts';

/** Text below a heading, for the search. */
export interface Section {
  heading: string;
  /** Empty above the first heading. */
  anchor: string;
  level: number;
  text: string;
}

export interface Rendered {
  title: string;
  content: Html;
  sections: Section[];
}

/** Returns where a link or an image leads on these pages; undefined if it is not served. */
export type Resolve = (href: string) => string | undefined;

// HTML in a document is shown as text, and links to scripts are no links: both are markdown-it's defaults.
const markdown = new MarkdownIt();
const { rules } = markdown.renderer;
rules['fence'] = rules['code_block'] = (tokens, i) => {
  const { content = '', info = '' } = tokens[i] ?? {};
  return sample(content, info).text;
};
rules['heading_close'] = (tokens, i) => {
  const anchor = tokens[i - 2]?.attrGet('id');
  const link = `<a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`;
  return `${tokens[i]?.tag === 'h1' ? '' : link}</${tokens[i]?.tag}>\n`;
};
// What is wider than a phone scrolls by itself.
rules['table_open'] = () => '<div class="table" tabindex="0"><table>\n';
rules['table_close'] = () => '</table></div>\n';

export function renderMarkdown(text: string, resolve: Resolve): Rendered {
  const tokens = markdown.parse(text, {});
  const sections = readSections(tokens);
  for (const { children } of tokens) if (children) rewriteLinks(children, resolve);
  return {
    title: sections.find(({ level }) => level === 1)?.heading ?? '',
    content: new Html(markdown.renderer.render(tokens, markdown.options, {})),
    sections,
  };
}

/** Reads a document without rendering it, which takes most of the time. */
export const sectionsOf = (text: string): Section[] => readSections(markdown.parse(text, {}));

/** Divides a document by its headings, which get their ids here. */
function readSections(tokens: readonly Token[]): Section[] {
  const anchors = new Map<string, number>();
  const sections: Section[] = [{ heading: '', anchor: '', level: 1, text: '' }];
  for (const [i, token] of tokens.entries()) {
    const isHeading = tokens[i - 1]?.type === 'heading_open';
    if (token.type === 'heading_open') {
      const heading = plainText(tokens[i + 1]);
      const anchor = anchorOf(heading);
      const count = anchors.get(anchor) ?? 0;
      anchors.set(anchor, count + 1);
      const unique = count === 0 ? anchor : `${anchor}-${count}`;
      token.attrSet('id', unique);
      sections.push({ heading, anchor: unique, level: Number(token.tag.slice(1)), text: '' });
    } else if (!isHeading) {
      const section = sections.at(-1);
      if (section) section.text = `${section.text} ${plainText(token)}`.replaceAll(/\s+/g, ' ').trim();
    }
  }
  return sections.filter(({ heading, text }) => heading || text);
}

function plainText(token: Token | undefined): string {
  if (!token?.children) return token?.content ?? '';
  return token.children.map((child) => (child.type === 'softbreak' ? ' ' : child.content)).join('');
}

/** The id that GitHub gives a heading, so that links work there and here. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

function rewriteLinks(tokens: readonly Token[], resolve: Resolve): void {
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'image') {
      token.attrSet('src', resolve(String(token.attrGet('src'))) ?? '');
      token.attrSet('loading', 'lazy');
    }
    if (token.type !== 'link_open') continue;
    const href = String(token.attrGet('href'));
    const url = resolve(href);
    if (url === undefined) {
      const close = tokens.slice(i).find(({ type }) => type === 'link_close');
      token.tag = 'span';
      token.attrs = [['title', `In the repository: ${href.replace(/^(\.\.\/)+/, '')}`]];
      if (close) close.tag = 'span';
    } else token.attrSet('href', url);
  }
}
