import { type Extracted, maxMarkdownCharacters, type PageFacts } from '../extracted.ts';
import { fact, frontMatter } from './front-matter.ts';
import { linesOfPage, type PdfItem, type PdfLine, type PdfLink } from './pdf-lines.ts';
import { markdownOfPages } from './pdf-markdown.ts';
import { fileName } from './targets.ts';

export interface PdfOptions {
  /** The address of the PDF. */
  url: string;
  /** Begins with what is known of the PDF, in YAML. The default. */
  frontMatter?: boolean;
}

/** What this uses of PDF.js. */
interface PdfPage {
  getTextContent(): Promise<{ items: (PdfItem | { type: string })[] }>;
  getAnnotations(): Promise<{ subtype?: string; url?: string; rect?: number[] }[]>;
  cleanup(): void;
}
interface PdfDocument {
  numPages: number;
  getPage(number: number): Promise<PdfPage>;
  getMetadata(): Promise<{ info: Record<string, unknown> }>;
}
declare const getDocument: (source: Record<string, unknown>) => {
  promise: Promise<PdfDocument>;
  destroy(): Promise<void>;
};

const maxPdfBytes = 64 * 2 ** 20;
const maxPdfPages = 1000;

/** Markdown of a PDF's text. `chunks` is the file in base64: parts that can each be decoded alone. */
export async function extractPdf(chunks: readonly string[], options: PdfOptions): Promise<Extracted> {
  const loading = getDocument({
    data: decoded(chunks),
    useWorkerFetch: false,
    useSystemFonts: false,
    disableFontFace: true,
    enableXfa: false,
    verbosity: 0,
  });
  try {
    const file = await loading.promise;
    const { pages, truncated } = await readPages(file);
    const facts = await pdfFacts(file, options.url);
    const text = markdownOfPages(pages);
    const head = options.frontMatter === false ? '' : frontMatter(facts, options.url);
    const empty = `> This PDF has ${file.numPages} pages and no text. They are pictures.`;
    const note = truncated ? '\n\n> The PDF is longer. The rest is left out.' : '';
    const body = (text === '' ? empty : text).slice(0, maxMarkdownCharacters).toWellFormed();
    return {
      ...facts,
      source: 'pdf',
      markdown: `${head}${body}${note}\n`,
      ...(truncated ? { truncated } : {}),
    };
  } catch (error) {
    throw pdfError(error);
  } finally {
    await loading.destroy();
  }
}

function decoded(chunks: readonly string[]): Uint8Array {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (length * 0.75 > maxPdfBytes) throw new Error(`The PDF is larger than ${maxPdfBytes / 2 ** 20} MiB.`);
  const parts = chunks.map((chunk) => Uint8Array.fromBase64(chunk));
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function pdfError(error: unknown): Error {
  const { name = '', message = '' } = (error ?? {}) as Partial<Error>;
  if (name === 'PasswordException') return new Error('The PDF is encrypted, and needs a password.');
  if (name === 'InvalidPDFException') return new Error('The file is not a PDF, or is damaged.');
  return new Error(message || 'The PDF cannot be read.');
}

async function readPages(file: PdfDocument): Promise<{ pages: PdfLine[][]; truncated: boolean }> {
  const pages: PdfLine[][] = [];
  let characters = 0;
  for (let number = 1; number <= file.numPages; number++) {
    if (number > maxPdfPages || characters > maxMarkdownCharacters) return { pages, truncated: true };
    const lines = await readPage(file, number);
    for (const { text } of lines) characters += text.length;
    pages.push(lines);
  }
  return { pages, truncated: false };
}

/** A page that cannot be read has no lines: the others may still be read. */
async function readPage(file: PdfDocument, number: number): Promise<PdfLine[]> {
  try {
    const page = await file.getPage(number);
    const { items } = await page.getTextContent();
    const annotations = await page.getAnnotations();
    page.cleanup();
    const links = annotations.flatMap(({ subtype, url, rect }): PdfLink[] =>
      subtype === 'Link' && url && rect?.length === 4 && /^(?:https?|mailto):/.test(url)
        ? [{ url, rect: rect as PdfLink['rect'] }]
        : [],
    );
    return linesOfPage(
      items.filter((item): item is PdfItem => 'str' in item),
      links.slice(0, 1000),
    );
  } catch {
    return [];
  }
}

async function pdfFacts(file: PdfDocument, url: string): Promise<PageFacts> {
  const { info } = await file.getMetadata().catch(() => ({ info: {} as Record<string, unknown> }));
  const author = fact(info['Author']);
  const published = pdfDate(info['CreationDate']);
  const language = fact(info['Language']);
  return {
    title: fact(info['Title']) ?? fileName(url),
    ...(author ? { author } : {}),
    ...(published ? { published } : {}),
    ...(language ? { language } : {}),
  };
}

/** `D:20240131…` as a date of ISO 8601. */
function pdfDate(value: unknown): string | undefined {
  const found = typeof value === 'string' ? /^D:(\d{4})(\d\d)(\d\d)/.exec(value) : null;
  return found ? `${found[1]}-${found[2]}-${found[3]}` : undefined;
}
