import type { Extracted } from '../extracted.ts';
import { escapeAddress, fenced } from './escape.ts';

/** The kinds of content that are not HTML. */
export function targetKind(
  contentType: string,
): 'html' | 'json' | 'xml' | 'markdown' | 'text' | 'image' | 'media' {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (type === '' || type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (/^image\//.test(type)) return 'image';
  if (/^(?:video|audio)\//.test(type)) return 'media';
  if (/[/+]json$/.test(type) || type === 'application/x-ndjson' || type === 'application/jsonl')
    return 'json';
  if (/[/+]xml$/.test(type)) return 'xml';
  if (type === 'text/markdown' || type === 'text/x-markdown') return 'markdown';
  if (/^text\//.test(type) || /(?:javascript|ecmascript|yaml|toml|csv|x-sh|sql)$/.test(type)) return 'text';
  return 'html';
}

const languages: Readonly<Record<string, string>> = {
  'text/css': 'css',
  'text/csv': 'csv',
  'application/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'text/javascript': 'javascript',
  'application/javascript': 'javascript',
  'application/x-javascript': 'javascript',
  'text/x-python': 'python',
  'text/yaml': 'yaml',
  'application/yaml': 'yaml',
  'application/x-yaml': 'yaml',
  'application/toml': 'toml',
  'text/x-sh': 'sh',
  'application/x-sh': 'sh',
  'application/sql': 'sql',
};

/** Markdown of a text that is not HTML. */
export function markdownOfText(
  kind: 'json' | 'xml' | 'markdown' | 'text',
  contentType: string,
  text: string,
): Pick<Extracted, 'markdown' | 'source'> {
  const content = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  if (content.trim() === '') return { markdown: '', source: kind === 'markdown' ? 'text' : kind };
  if (kind === 'markdown') return { markdown: content, source: 'text' };
  if (kind === 'json') return { markdown: fenced(indented(content), 'json'), source: 'json' };
  if (kind === 'xml') return { markdown: fenced(content.trim(), 'xml'), source: 'xml' };
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  const language = languages[type] ?? '';
  return { markdown: language === '' ? plainText(content) : fenced(content, language), source: 'text' };
}

/** JSON on more lines, or the text as it is. Numbers stay as they were written: parsing would round large ones. */
function indented(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const exact = JSON.stringify(value) === text.replace(/\s+/g, '') || !/\d{16}|\d[eE.]/.test(text);
    return exact ? JSON.stringify(value, undefined, 2) : text.trim();
  } catch {
    return text.trim();
  }
}

/** Prose is Markdown already. What Markdown would change is fenced: indented lines, tables, marks. */
function plainText(text: string): string {
  const changes =
    /^(?: {4}|\t| {0,3}[-+*#>|]| {0,3}\d{1,9}[.)] )/m.test(text) || /[*_`<[\]\\]| {2}\S/.test(text);
  return changes ? fenced(text) : text.trim();
}

/** Markdown of an image, a video or a sound. */
export function markdownOfMedia(url: string, size: { width: number; height: number } | undefined): string {
  const name = fileName(url).replace(/[[\]\\]/g, '\\$&');
  if (!size) return `[${name}](${escapeAddress(url)})`;
  const image = `![${name}](${escapeAddress(url)})`;
  return size.width > 0 ? `${image}\n\n${size.width} × ${size.height} pixels` : image;
}

/** The last part of an address. */
export function fileName(url: string): string {
  const { pathname = '', hostname = '' } = URL.parse(url) ?? {};
  const last = pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(last) || hostname;
  } catch {
    return last || hostname;
  }
}
