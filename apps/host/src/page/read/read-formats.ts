import { maxPageAnswerBytes, type PageCall } from '@turnpike/contract/page/page-call';
import type { PageFormat } from '@turnpike/contract/page/page-formats';
import type { CalledPage } from '../called-page.ts';
import { type LargeAnswer, tooLarge } from '../devtools/devtools.ts';
import { maxMessageBytes } from '../devtools/page-world.ts';
import { PageError } from '../page-error.ts';
import { callInPage } from '../page-script.ts';
import { decodeBase64, joinParts, memberBytes } from './member-bytes.ts';
import { printParameters } from './pdf-options.ts';
import { noElement, readScreenshot, screenshotType } from './read-screenshot.ts';

export interface PageBody {
  type: string;
  body: Uint8Array;
  fileName?: string;
}

/** Reads what the call asks for, one format after the other: a picture and a print change the page while they last. */
export async function readFormats(page: CalledPage, { formats, raw }: PageCall): Promise<PageBody> {
  const [only] = formats;
  if (raw && only !== undefined && formats.length === 1) return readRaw(page, only);
  const parts: Uint8Array[] = [];
  let bytes = 2;
  for (const format of new Set(formats)) {
    const value = await readJson(page, format);
    const name = Buffer.from(`${parts.length === 0 ? '{' : ','}${JSON.stringify(format)}:`);
    bytes += name.length + value.length;
    if (bytes > maxPageAnswerBytes) throw tooLarge(maxPageAnswerBytes);
    parts.push(name, value);
  }
  return { type: 'application/json', body: await joinParts([...parts, Buffer.from('}')]) };
}

async function readRaw(page: CalledPage, format: PageFormat): Promise<PageBody> {
  if (format === 'screenshot') {
    using answer = await readScreenshot(page);
    const options = page.parameters.screenshotOptions ?? {};
    const data = memberBytes(answer.bytes, 'data');
    if (options.encoding === 'base64') return { type: 'text/plain', body: await joinParts([data]) };
    return { type: screenshotType(options), body: await decodeBase64(data) };
  }
  if (format === 'pdf') {
    using answer = await readPdf(page);
    return { type: 'application/pdf', body: await decodeBase64(memberBytes(answer.bytes, 'data')) };
  }
  if (format === 'content') return { type: 'text/html; charset=utf-8', body: await readHtml(page, false) };
  return { type: 'application/json', body: await readJson(page, format) };
}

/** The format as a JSON value. */
async function readJson(page: CalledPage, format: PageFormat): Promise<Uint8Array> {
  if (format === 'screenshot' || format === 'pdf') {
    using answer = format === 'pdf' ? await readPdf(page) : await readScreenshot(page);
    return joinParts([quote, memberBytes(answer.bytes, 'data'), quote]);
  }
  if (format === 'content') return readHtml(page, true);
  throw new PageError('PAGE_FAILED', `${format} is not built yet.`);
}

const quote = Buffer.from('"');

function readPdf({ devtools, parameters }: CalledPage): Promise<LargeAnswer> {
  return devtools.sendForBytes(
    'Page.printToPDF',
    printParameters(parameters.pdfOptions ?? {}),
    maxMessageBytes,
  );
}

async function readHtml({ world, parameters }: CalledPage, asJson: boolean): Promise<Uint8Array> {
  const { selector } = parameters;
  using answer = await world.evaluateLarge(callInPage('readHtml', selector, asJson, maxPageAnswerBytes));
  const value = memberBytes(answer.bytes, 'value');
  if (value[0] !== 0x21) return decodeBase64(value);
  if (value.toString('latin1') === '!large') throw tooLarge(maxPageAnswerBytes);
  throw noElement(selector ?? '', value.toString('latin1'));
}
