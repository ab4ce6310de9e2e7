import { type Headers, valuesOf } from './http-headers.ts';

/** Headers that are for one hop only (RFC 9110, 7.6.1), besides those that `Connection` names. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
]);

/** Returns the headers for the other end, in the same order and spelling. */
export function endToEnd(headers: Headers): string[] {
  const named = new Set<string>();
  for (const value of valuesOf(headers, 'connection')) {
    for (const token of value.split(',')) named.add(token.trim().toLowerCase());
  }
  // Without these the other end would misread the body.
  for (const essential of ['transfer-encoding', 'content-length', 'host']) named.delete(essential);
  const kept: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] ?? '';
    const lower = name.toLowerCase();
    if (!hopByHop.has(lower) && !named.has(lower)) kept.push(name, headers[i + 1] ?? '');
  }
  return kept;
}
