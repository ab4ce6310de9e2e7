import { isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import type { ProxyScheme, UpstreamProxy } from '@turnpike/contract/host';

/** A parsed proxy URL. Its addresses are resolved and checked later. */
export type ProxyUrl = Omit<UpstreamProxy, 'addresses'>;

export type ParsedProxy = { ok: true; proxy: ProxyUrl } | { ok: false; rule: string };

const schemes: readonly ProxyScheme[] = ['http', 'https', 'socks5', 'socks5h'];
const maxLength = 2048;
/** RFC 1929: user name and password have one length byte each. */
const maxSocksCredentialBytes = 255;

/**
 * Parses a proxy URL by hand, because a URL parser drops the scheme's default port, which is required here, does not
 * support hosts of socks5, and does not say which rule a URL breaks.
 */
export function parseProxyUrl(text: string): ParsedProxy {
  const refuse = (rule: string): ParsedProxy => ({ ok: false, rule });
  if (text.length > maxLength) return refuse(`longer than ${maxLength} characters`);
  // A URL parser would silently remove some of these.
  if (/[\p{Cc}\s]/u.test(text)) return refuse('invalid character');
  const split = /^([^:/?#@]*):\/\/(.*)$/s.exec(text);
  if (!split) return refuse('missing scheme');
  const scheme = schemes.find((known) => known === split[1]?.toLowerCase());
  if (!scheme) return refuse('unsupported scheme');

  const rest = split[2] ?? '';
  const authorityEnd = rest.search(/[/?#]/);
  const authority = authorityEnd < 0 ? rest : rest.slice(0, authorityEnd);
  if (authorityEnd >= 0 && rest.slice(authorityEnd) !== '/') return refuse('path not allowed');

  const at = authority.lastIndexOf('@');
  const credentials = parseCredentials(at < 0 ? '' : authority.slice(0, at), scheme);
  if (!credentials.ok) return refuse(credentials.rule);

  const hostAndPort = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(authority.slice(at + 1));
  if (!hostAndPort) return refuse('invalid host');
  const [, writtenHost = '', writtenPort = ''] = hostAndPort;
  if (writtenHost === '') return refuse('missing host');
  const host = parseHost(writtenHost);
  if (host === undefined) return refuse('invalid host');
  if (writtenPort === '') return refuse('missing port');
  const port = Number(writtenPort);
  if (!/^\d{1,5}$/.test(writtenPort) || port < 1 || port > 65535) return refuse('invalid port');
  return { ok: true, proxy: { scheme, host, port, ...credentials.value } };
}

function parseHost(written: string): string | undefined {
  if (written.startsWith('[')) {
    const address = written.slice(1, -1);
    // Refuses zone ids: `fe80::1%eth0` names an interface of this machine.
    return isIPv6(address) && !address.includes('%') ? address.toLowerCase() : undefined;
  }
  const name = domainToASCII(written);
  return name.length <= 253 && /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?\.?$/.test(name) ? name : undefined;
}

type Credentials =
  | { ok: true; value: { username?: string; password?: string } }
  | { ok: false; rule: string };

function parseCredentials(userinfo: string, scheme: ProxyScheme): Credentials {
  if (userinfo === '') return { ok: true, value: {} };
  const colon = userinfo.indexOf(':');
  let username: string;
  let password: string;
  try {
    username = decodeURIComponent(colon < 0 ? userinfo : userinfo.slice(0, colon));
    password = colon < 0 ? '' : decodeURIComponent(userinfo.slice(colon + 1));
  } catch {
    return { ok: false, rule: 'credentials not percent-encoded' };
  }
  // Control characters could end a header; a colon would end the user name inside one (RFC 7617).
  if (/\p{Cc}/u.test(username + password)) return { ok: false, rule: 'control character in credentials' };
  if (username.includes(':')) return { ok: false, rule: 'colon in user name' };
  if (scheme.startsWith('socks')) {
    const longest = Math.max(Buffer.byteLength(username), Buffer.byteLength(password));
    if (longest > maxSocksCredentialBytes) return { ok: false, rule: 'credentials too long for socks5' };
    if (username === '') return { ok: false, rule: 'missing user name' };
  }
  return { ok: true, value: { username, password } };
}

/** Formats the URL for display and storage, with `***` as the password. */
export function maskedProxyUrl({ scheme, host, port, username, password }: ProxyUrl): string {
  const userinfo = username === undefined ? '' : `${encodeURIComponent(username)}${password ? ':***' : ''}@`;
  return `${scheme}://${userinfo}${host.includes(':') ? `[${host}]` : host}:${port}`;
}
