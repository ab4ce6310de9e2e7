import { createHmac, randomInt } from 'node:crypto';
import { maskedProxyUrl, type ProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';

/** The placeholders that the URL of a saved proxy may have in its user name and its password. */
export const placeholders = ['country', 'session', 'key'] as const;
export type Placeholder = (typeof placeholders)[number];

const anyPlaceholder = /\{(country|session|key)\}/g;

/** The placeholders that a URL has. */
export function placeholdersIn(url: string): Set<Placeholder> {
  return new Set([...url.matchAll(anyPlaceholder)].map(([, name]) => name as Placeholder));
}

/** Fills the placeholders, in one pass: what a value has in it is not looked at again. */
export function fillTemplate(url: string, values: Readonly<Record<Placeholder, string>>): string {
  return url.replace(anyPlaceholder, (_, name: Placeholder) => encodeURIComponent(values[name]));
}

/** Shows a URL with `***` as its password and its placeholders as they were written. */
export function maskedTemplate(proxy: ProxyUrl): string {
  return maskedProxyUrl(proxy).replace(/%7B(country|session|key)%7D/g, '{$1}');
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const sessionLength = 10;

/** A `{session}` that nobody has had. */
export const freshSession = (): string =>
  Array.from({ length: sessionLength }, () => alphabet[randomInt(alphabet.length)]).join('');

/**
 * The `{session}` of a key, the same on every gateway. It needs no secret: without the proxy's password it is of no use.
 */
export function keyedSession(of: {
  accountId: string;
  proxyId: string;
  key: string;
  generation: number;
}): string {
  const digest = createHmac('sha256', `${of.accountId} ${of.proxyId}`)
    .update(`${of.generation} ${of.key}`)
    .digest();
  return Array.from(
    { length: sessionLength },
    (_, i) => alphabet[digest.readUInt16BE(2 * i) % alphabet.length],
  ).join('');
}
