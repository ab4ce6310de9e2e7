import { maxPageAnswerBytes } from '@turnpike/contract/page/page-call';
import { Slices } from '@turnpike/process/work/slices';
import type { CalledPage } from '../called-page.ts';
import { CommandError, tooLarge } from '../devtools/devtools.ts';
import { maxMessageBytes } from '../devtools/page-world.ts';
import { PageError } from '../page-error.ts';
import { callInPage } from '../page-script.ts';
import { decodeBase64, joinParts, memberBytes } from './member-bytes.ts';

const htmlTypes = new Set(['', 'text/html', 'application/xhtml+xml']);

/** The type of a document that is not HTML, as its server named it; undefined if it is HTML. */
export function otherType({ events, parameters }: CalledPage): string | undefined {
  if (parameters.html !== undefined && parameters.url === undefined) return undefined;
  const response = events.response(events.current.loaderId);
  if (!response || htmlTypes.has(response.mimeType)) return undefined;
  return response.headers['content-type'] ?? response.mimeType;
}

/** The bytes of a document that is not HTML: text in UTF-8, everything else as it came. Undefined if they are gone. */
export async function readBytes(
  page: CalledPage,
): Promise<{ bytes: Uint8Array; isText: boolean } | undefined> {
  const { devtools, events } = page;
  const requestId = events.current.loaderId;
  // Of a PDF the browser has the viewer's document.
  if (events.response(requestId)?.mimeType === 'application/pdf') return refetch(page);
  try {
    using answer = await devtools.sendForBytes('Network.getResponseBody', { requestId }, maxMessageBytes);
    const end = answer.bytes.lastIndexOf('","base64Encoded":', undefined, 'latin1');
    const start = answer.bytes.indexOf('"body":"', 0, 'latin1') + '"body":"'.length;
    const isText = answer.bytes.subarray(end).includes('false');
    const body = answer.bytes.subarray(start, Math.max(start, end));
    return { bytes: isText ? await unescapeJson(body) : await decodeBase64(body), isText };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
  }
  return refetch(page).catch((error: unknown) => {
    if (error instanceof PageError && error.code === 'PAGE_SCRIPT') return undefined;
    throw error;
  });
}

async function refetch({ world }: CalledPage): Promise<{ bytes: Uint8Array; isText: boolean }> {
  using answer = await world.evaluateLarge(callInPage('refetch', maxPageAnswerBytes));
  const value = memberBytes(answer.bytes, 'value');
  if (value[0] === 0x21) throw tooLarge(maxPageAnswerBytes);
  return { bytes: await decodeBase64(value), isText: false };
}

const pieceBytes = 2 ** 18;
const backslash = 0x5c;

/** The text that a string in JSON stands for, in UTF-8. In pieces that end at no escape, so that others are served. */
export async function unescapeJson(json: Buffer): Promise<Uint8Array> {
  const slices = new Slices();
  const parts: Buffer[] = [];
  for (let start = 0; start < json.length; ) {
    const end = endOfPiece(json, start, Math.min(json.length, start + pieceBytes));
    parts.push(Buffer.from(JSON.parse(`"${json.toString('utf8', start, end)}"`) as string));
    start = end;
    await slices.pause();
  }
  return joinParts(parts);
}

function endOfPiece(json: Buffer, start: number, target: number): number {
  let at = start;
  while (at < target) {
    const found = json.indexOf(backslash, at);
    if (found === -1 || found >= target) return endOfCharacter(json, target);
    at = found + (json[found + 1] === 0x75 ? 6 : 2);
    // The first half of a character: the other half is the next escape.
    if (/^\\ud[89ab]/i.test(json.toString('latin1', found, found + 4))) at += 6;
  }
  return Math.min(at, json.length);
}

function endOfCharacter(json: Buffer, target: number): number {
  let at = target;
  while (at < json.length && ((json[at] as number) & 0xc0) === 0x80) at += 1;
  return at;
}
