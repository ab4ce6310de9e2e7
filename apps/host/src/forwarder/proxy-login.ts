import type { RequestHead } from '@turnpike/tunnel/http/http-head';
import { valuesOf } from '@turnpike/tunnel/http/http-headers';
import type { TextAnswer } from '@turnpike/tunnel/serve-http';
import type { ProxyCredentials } from '@turnpike/tunnel/upstream';

/** More than a user name and a password have. */
const maxHeaderLength = 4096;

/**
 * Reads the credentials that a client's library gave the browser for a proxy (RFC 7617). Undefined if there are none, or
 * they cannot be read.
 */
export function readCredentials({ headers }: RequestHead): ProxyCredentials | undefined {
  const [value] = valuesOf(headers, 'proxy-authorization');
  if (value === undefined || value.length > maxHeaderLength) return undefined;
  const [, encoded] = /^basic +([\w+/=-]+)$/i.exec(value) ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0 || /\p{Cc}/u.test(text)) return undefined;
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Has the browser ask the client's library for the proxy's credentials. It must not name the proxy. */
export const loginAnswer: Omit<TextAnswer, 'keeps'> = {
  status: 407,
  text: 'The proxy asks for credentials.\n',
  headers: ['Proxy-Authenticate', 'Basic realm="proxy"', 'X-Refused-By', 'proxy_failure'],
};
