import { BadMessage, type Headers, valuesOf, withoutHeaders } from './http-headers.ts';

/** How a message's body ends (RFC 9112, 6.3). `close`: with the connection, for responses only. */
export type Framing =
  | { kind: 'none' }
  | { kind: 'length'; length: number }
  | { kind: 'chunked' }
  | { kind: 'close' };

const none: Framing = { kind: 'none' };
const maxDigits = 15;
/** For a length that is repeated in one header. */
const maxListLength = 1000;

/** Accepts one unambiguous framing and refuses everything else. */
export function requestFraming(headers: Headers, minor: number): Framing {
  const encodings = valuesOf(headers, 'transfer-encoding');
  const lengths = valuesOf(headers, 'content-length');
  if (encodings.length + lengths.length > 1) {
    throw new BadMessage('The length of the body is given more than once.');
  }
  if (encodings[0] !== undefined) {
    if (encodings[0].toLowerCase() === 'chunked' && minor === 1) return { kind: 'chunked' };
    throw new BadMessage('The only supported Transfer-Encoding is chunked.');
  }
  return lengths[0] === undefined ? none : lengthFraming(lengths[0]);
}

/**
 * Decides as Chromium does, and more strictly where Chromium guesses: chunked has priority over a length, equal lengths
 * count as one, and other transfer codings are refused.
 */
export function responseFraming(
  { status, minor, headers }: { status: number; minor: number; headers: Headers },
  method: string,
): Framing {
  if (method === 'HEAD' || status === 204 || status === 304 || status < 200) return none;
  const encodings = valuesOf(headers, 'transfer-encoding').filter((value) => value !== 'identity');
  if (encodings.length > 0) {
    if (encodings.length === 1 && encodings[0]?.toLowerCase() === 'chunked' && minor > 0)
      return { kind: 'chunked' };
    throw new BadMessage('The Transfer-Encoding of the response is not supported.');
  }
  const lengths = new Set(valuesOf(headers, 'content-length').flatMap(listOfLengths));
  if (lengths.size > 1) throw new BadMessage('The response has several lengths.');
  const [length] = lengths;
  return length === undefined ? { kind: 'close' } : lengthFraming(length);
}

/** Returns the response's headers with one unambiguous framing. */
export function framedHeaders(headers: Headers, framing: Framing, status: number): string[] {
  const kept = withoutHeaders(headers, 'transfer-encoding', 'content-length');
  if (framing.kind === 'chunked') kept.push('Transfer-Encoding', 'chunked');
  if (framing.kind === 'length') kept.push('Content-Length', `${framing.length}`);
  // For HEAD and 304 the length is that of the full response.
  const [length = ''] = valuesOf(headers, 'content-length');
  if (framing.kind === 'none' && status >= 200 && status !== 204 && isLength(length)) {
    kept.push('Content-Length', length);
  }
  return kept;
}

export const isEmpty = (framing: Framing): boolean =>
  framing.kind === 'none' || (framing.kind === 'length' && framing.length === 0);

function listOfLengths(value: string): string[] {
  if (value.length > maxListLength) throw new BadMessage('The Content-Length is too long.');
  return value.split(',').map((length) => length.trim());
}

function isLength(text: string): boolean {
  return text.length <= maxDigits && /^\d+$/.test(text);
}

function lengthFraming(text: string): Framing {
  if (!isLength(text)) throw new BadMessage('The Content-Length is not a number.');
  return { kind: 'length', length: Number(text) };
}
