import { maxPageAnswerBytes, type PageCall } from '@turnpike/contract/page/page-call';
import type { PageFormat } from '@turnpike/contract/page/page-formats';
import { attempt, type CalledPage } from '../called-page.ts';
import { type LargeAnswer, tooLarge } from '../devtools/devtools.ts';
import { maxMessageBytes } from '../devtools/page-world.ts';
import { extractionScript, pdfScript } from '../extract/extraction-script.ts';
import { waitForElement } from '../load/prepare-page.ts';
import { PageError } from '../page-error.ts';
import { Code, callInPage } from '../page-script.ts';
import { decodeBase64, joinParts, memberBytes } from './member-bytes.ts';
import { printParameters } from './pdf-options.ts';
import { readAccessibility } from './read-accessibility.ts';
import { otherType, readBytes } from './read-document.ts';
import { noElement, readScreenshot, screenshotType } from './read-screenshot.ts';

export interface PageBody {
  type: string;
  body: Uint8Array;
  fileName?: string;
}

const json = 'application/json';
const markdownType = 'text/markdown; charset=utf-8';

/** Reads what the call asks for, one format after the other: a picture and a print change the page while they last. */
export async function readFormats(page: CalledPage, { formats, raw }: PageCall): Promise<PageBody> {
  const [only] = formats;
  if (raw && only !== undefined && formats.length === 1) return readRaw(page, only);
  const values: (readonly [name: string, value: Uint8Array])[] = [];
  for (const format of new Set(formats)) values.push([format, await readJson(page, format)]);
  return { type: json, body: await jsonObject(values) };
}

async function jsonObject(
  values: readonly (readonly [name: string, value: Uint8Array])[],
): Promise<Uint8Array> {
  const parts = values.flatMap(([name, value], index) => [
    Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
    value,
  ]);
  const bytes = parts.reduce((sum, { length }) => sum + length, 1);
  if (bytes > maxPageAnswerBytes) throw tooLarge(maxPageAnswerBytes);
  return joinParts([...parts, Buffer.from('}')]);
}

async function readRaw(page: CalledPage, format: PageFormat): Promise<PageBody> {
  if (format === 'screenshot') {
    const options = page.parameters.screenshotOptions ?? {};
    using answer = await readScreenshot(page);
    const data = memberBytes(answer.bytes, 'data');
    if (options.encoding === 'base64') return { type: 'text/plain', body: await joinParts([data]) };
    return { type: screenshotType(options), body: await decodeBase64(data) };
  }
  if (format === 'pdf') return { type: 'application/pdf', body: await readPdf(page) };
  if (format === 'markdown') return { type: markdownType, body: await readMarkdown(page, false) };
  if (format !== 'content') return { type: json, body: await readJson(page, format) };
  const type = otherType(page);
  const other = type === undefined ? undefined : await readBytes(page);
  if (type !== undefined && other) return { type: other.isText ? inUtf8(type) : type, body: other.bytes };
  return { type: 'text/html; charset=utf-8', body: await readHtml(page, false) };
}

/** Text is answered in UTF-8, whatever it came in. */
const inUtf8 = (type: string) => `${type.split(';', 1)[0]?.trim()}; charset=utf-8`;

/** The format as a JSON value. */
async function readJson(page: CalledPage, format: PageFormat): Promise<Uint8Array> {
  const { parameters } = page;
  switch (format) {
    case 'screenshot':
      return readBase64(await readScreenshot(page));
    case 'pdf': {
      const printed = await printPage(page);
      return printed ? readBase64(printed) : quotedBase64(await readPdf(page));
    }
    case 'content':
      return readContent(page);
    case 'markdown':
      return readMarkdown(page, true);
    case 'links': {
      const expression = callInPage('readLinks', parameters.visibleLinksOnly === true, maxPageAnswerBytes);
      return readEncoded(page, expression);
    }
    case 'scrape':
      return readElements(page);
    case 'snapshot':
      return jsonObject([
        ['content', await readContent(page)],
        ['screenshot', await readBase64(await readScreenshot(page))],
      ]);
    case 'accessibility':
      return readAccessibility(page);
  }
}

const quote = Buffer.from('"');

/** A string in JSON: the base64 as it came. */
async function readBase64(answer: LargeAnswer): Promise<Uint8Array> {
  using _ = answer;
  return joinParts([quote, memberBytes(answer.bytes, 'data'), quote]);
}

const quotedBase64 = (bytes: Uint8Array) =>
  joinParts([quote, Buffer.from(bufferOf(bytes).toString('base64'), 'latin1'), quote]);

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Prints the page. Undefined if it is a PDF already. */
async function printPage(page: CalledPage): Promise<LargeAnswer | undefined> {
  if (otherType(page)?.startsWith('application/pdf')) return undefined;
  const { devtools, parameters } = page;
  return devtools.sendForBytes(
    'Page.printToPDF',
    printParameters(parameters.pdfOptions ?? {}),
    maxMessageBytes,
  );
}

async function readPdf(page: CalledPage): Promise<Uint8Array> {
  using answer = await printPage(page);
  if (answer) return decodeBase64(memberBytes(answer.bytes, 'data'));
  const document = await readBytes(page);
  if (!document) throw new PageError('PAGE_FAILED', 'The PDF could not be read.');
  return document.bytes;
}

async function readContent(page: CalledPage): Promise<Uint8Array> {
  const other = otherType(page) === undefined ? undefined : await readBytes(page);
  if (!other) return readHtml(page, true);
  return other.isText
    ? Buffer.from(JSON.stringify(bufferOf(other.bytes).toString()))
    : quotedBase64(other.bytes);
}

function readHtml(page: CalledPage, asJson: boolean): Promise<Uint8Array> {
  const { selector } = page.parameters;
  return readEncoded(page, callInPage('readHtml', selector, asJson, maxPageAnswerBytes));
}

async function readElements(page: CalledPage): Promise<Uint8Array> {
  const { elements } = page.parameters;
  if (!elements) throw new PageError('PAGE_FAILED', 'scrape needs elements: the selectors of what it reads.');
  for (const { selector, timeout } of elements) {
    // Without a time of its own, what is there counts.
    if (timeout) await attempt(page, () => waitForElement(page, { selector, timeout }));
  }
  const selectors = elements.map(({ selector }) => selector);
  return readEncoded(page, callInPage('readElements', selectors, maxPageAnswerBytes));
}

async function readMarkdown(page: CalledPage, asJson: boolean): Promise<Uint8Array> {
  const { events, parameters } = page;
  const { url } = events.current;
  const { onlyMainContent, includeTags, excludeTags, frontMatter } = parameters;
  const contentType = otherType(page) ?? 'text/html';
  if (contentType.startsWith('application/pdf')) {
    const script = new Code(await pdfScript());
    const options = { url, frontMatter };
    return readEncoded(page, callInPage('readPdfMarkdown', script, options, asJson, maxPageAnswerBytes));
  }
  const script = new Code(await extractionScript());
  const options = { url, contentType, onlyMainContent, includeTags, excludeTags, frontMatter };
  return readEncoded(page, callInPage('readMarkdown', script, options, asJson, maxPageAnswerBytes));
}

/** Markdown of a text that the browser has downloaded, such as CSV. */
export async function readTextMarkdown(
  page: CalledPage,
  { url, contentType, text }: { url: string; contentType: string; text: string },
): Promise<PageBody> {
  const { frontMatter } = page.parameters;
  const script = new Code(await extractionScript());
  const options = { url, contentType, frontMatter, text };
  const expression = callInPage('readMarkdown', script, options, false, maxPageAnswerBytes);
  return { type: markdownType, body: await readEncoded(page, expression) };
}

/** Reads what a function in the page has encoded. */
async function readEncoded(page: CalledPage, expression: string): Promise<Uint8Array> {
  using answer = await page.world.evaluateLarge(expression);
  let value = memberBytes(answer.bytes, 'value');
  if (value[0] === 0x7e) {
    page.events.warn('The page is longer than Markdown may be. The rest is left out.');
    value = value.subarray(1);
  }
  if (value[0] !== 0x21) return decodeBase64(value);
  const reason = value.toString('latin1');
  throw reason === '!large'
    ? tooLarge(maxPageAnswerBytes)
    : noElement(page.parameters.selector ?? '', reason);
}
