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
const headerLine = new RegExp(`^(${token}):[ \\t]*([\\t\\x20-\\x7e\\x80-\\xff]*)$`);
const statusLine = /^HTTP\/1\.(\d) +([1-9]\d\d)(?!\d)(.*)$/;
const isToken = new RegExp(`^${token}$`);

/** Parses strictly by RFC 9112. If two parties read one request differently, requests can be smuggled. */
export function parseRequestHead(text: string): RequestHead {
  const [first = '', ...lines] = (text.startsWith('\r\n') ? text.replace(/^(?:\r\n)+/, '') : text).split(
    '\r\n',
  );
  const [, method = '', target = '', minor] = requestLine.exec(first) ?? [];
  if (minor === undefined) throw new BadMessage('The request line is not valid.');
  const headers: string[] = [];
  for (const line of lines.slice(0, -2)) {
    const [, name, value] = headerLine.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new BadMessage('A header line is not valid.');
    headers.push(name, value.trimEnd());
  }
  if (valuesOf(headers, 'host').length > 1) throw new BadMessage('There is more than one Host header.');
  return { method, target, minor: Number(minor), headers, body: requestFraming(headers, Number(minor)) };
}

/**
 * Parses as leniently as Chromium: accepts bare line feeds, folded lines and unusual characters. The result is clean:
 * lines without a name and control characters are removed.
 */
export function parseResponseHead(text: string): ResponseHead {
  const [first = '', ...lines] = text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
  const [, minor, status, reason = ''] = statusLine.exec(first) ?? [];
  if (minor === undefined) throw new BadMessage('The status line is not valid.');
  const headers: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim();
    if (isToken.test(name)) headers.push(name, printable(line.slice(colon + 1)));
  }
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
