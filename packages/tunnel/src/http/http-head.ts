import { type Framing, requestFraming } from './http-framing.ts';
import { BadMessage, type Headers, valuesOf } from './http-headers.ts';

export interface RequestHead {
  method: string;
  target: string;
  /** The minor version of HTTP/1. */
  minor: number;
  headers: Headers;
  body: Framing;
}

export interface ResponseHead {
  status: number;
  reason: string;
  minor: number;
  headers: Headers;
}

const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const requestLine = new RegExp(`^(${token}) ([\\x21-\\x7e]+) HTTP/1\\.([01])$`);
const statusLine = /^HTTP\/1\.(\d) +([1-9]\d\d)(?!\d)(.*)$/;
const isToken = new RegExp(`^${token}$`);
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to refuse.
const notInValues = /[\x00-\x08\x0a-\x1f\x7f]/;
/** Each line costs far more than its bytes. */
const maxLines = 2000;
/** How long all Connection headers may be together: they are read several times. */
const maxConnectionLength = 4096;

/** Parses strictly by RFC 9112. If two parties read one request differently, requests can be smuggled. */
export function parseRequestHead(text: string): RequestHead {
  const lines = text.replace(/^(?:\r\n)+/, '').split('\r\n', maxLines + 2);
  if (lines.length > maxLines + 1) throw tooManyLines();
  const [, method = '', target = '', minor] = requestLine.exec(lines[0] ?? '') ?? [];
  if (minor === undefined) throw new BadMessage('The request line is not valid.');
  const headers: string[] = [];
  // The head ends with an empty line, and so with two empty parts.
  for (let i = 1; i < lines.length - 2; i++) {
    const line = lines[i] ?? '';
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon));
    if (!isToken.test(name) || notInValues.test(line)) throw new BadMessage('A header line is not valid.');
    headers.push(name, withoutSpace(line, colon + 1));
  }
  if (text.length > maxConnectionLength) checkConnection(headers);
  if (valuesOf(headers, 'host').length > 1) throw new BadMessage('There is more than one Host header.');
  return { method, target, minor: Number(minor), headers, body: requestFraming(headers, Number(minor)) };
}

/**
 * Parses as leniently as Chromium: accepts bare line feeds, folded lines and unusual characters. The result is clean:
 * lines without a name and control characters are removed.
 */
export function parseResponseHead(text: string): ResponseHead {
  const lines = text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/, maxLines + 1);
  if (lines.length > maxLines) throw tooManyLines();
  const [, minor, status, reason = ''] = statusLine.exec(lines[0] ?? '') ?? [];
  if (minor === undefined) throw new BadMessage('The status line is not valid.');
  const headers: string[] = [];
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i] ?? '';
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim();
    if (isToken.test(name)) headers.push(name, printable(line.slice(colon + 1)));
  }
  if (text.length > maxConnectionLength) checkConnection(headers);
  return { status: Number(status), reason: printable(reason), minor: Number(minor), headers };
}

export function formatHead(firstLine: string, headers: Headers): string {
  let text = `${firstLine}\r\n`;
  for (let i = 0; i + 1 < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return `${text}\r\n`;
}

function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove.
  return text.replace(/[\x00-\x08\x0a-\x1f\x7f]/g, '').trim();
}

/** The rest of a line without spaces and tabs around it. */
function withoutSpace(line: string, from: number): string {
  let start = from;
  let end = line.length;
  while (start < end && isSpace(line.charCodeAt(start))) start += 1;
  while (end > start && isSpace(line.charCodeAt(end - 1))) end -= 1;
  return line.slice(start, end);
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09;

function checkConnection(headers: Headers): void {
  const values = [...valuesOf(headers, 'connection'), ...valuesOf(headers, 'proxy-connection')];
  const length = values.reduce((sum, value) => sum + value.length, 0);
  if (length > maxConnectionLength) throw new BadMessage('The Connection header is too long.');
}

const tooManyLines = () => new BadMessage(`There are more than ${maxLines} header lines.`);
