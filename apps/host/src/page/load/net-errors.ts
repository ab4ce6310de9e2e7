import { PageError } from '../page-error.ts';

type Row = readonly [pattern: RegExp, code: PageError['code'], message: string];

/** Chromium's names of network errors (net/base/net_error_list.h), and what a caller can do about them. */
const rows: readonly Row[] = [
  [
    /^ERR_(?:NAME_|DNS_|ICANN_NAME)/,
    'PAGE_DNS',
    "The name of the page's host could not be resolved. Check url.",
  ],
  [
    /^ERR_(?:CERT_|SSL_|BAD_SSL|CERTIFICATE_TRANSPARENCY|ECH_|TLS)/,
    'PAGE_TLS',
    'The TLS connection to the page failed. Check its certificate.',
  ],
  [/^ERR_TOO_MANY_REDIRECTS$/, 'PAGE_REDIRECTS', 'The page redirects too often. Check url and cookies.'],
  [
    /^ERR_(?:PROXY_|TUNNEL_|SOCKS_|NO_SUPPORTED_PROXIES|MANDATORY_PROXY|UNABLE_TO_REUSE_CONNECTION_FOR_PROXY)/,
    'PAGE_PROXY',
    'The proxy did not connect to the page. Check that it may reach the host and the port of url.',
  ],
  [
    /^ERR_(?:TIMED_OUT|CONNECTION_TIMED_OUT)$/,
    'PAGE_TIMEOUT',
    'The page did not answer in time. Try again, or with a longer timeout.',
  ],
  [
    /^ERR_(?:BLOCKED_|NETWORK_ACCESS_DENIED|UNSAFE_PORT|DISALLOWED_URL_SCHEME|CLEARTEXT|ACCESS_DENIED|UNSAFE_REDIRECT)/,
    'PAGE_BLOCKED',
    'The page was blocked. Check block, rejectResourceTypes and rejectRequestPattern, and the port of url.',
  ],
  [/^ERR_(?:INVALID_URL|UNKNOWN_URL_SCHEME)$/, 'PAGE_URL', 'url is not an address that can be opened.'],
  [
    /^ERR_(?:CONNECTION_|ADDRESS_|INTERNET_|EMPTY_RESPONSE|NETWORK_|SOCKET_|INVALID_RESPONSE|INVALID_HTTP|RESPONSE_|HTTP2_|QUIC_|INCOMPLETE_|CONTENT_|INVALID_CHUNKED)/,
    'PAGE_CONNECTION',
    'The connection to the page failed. Try again, or check that the server runs.',
  ],
  [
    /^ERR_INVALID_AUTH_CREDENTIALS$|^ERR_(?:MISSING|MISCONFIGURED|UNSUPPORTED|UNEXPECTED)_.*AUTH/,
    'PAGE_FAILED',
    'The page asks for a sign-in that authenticate does not answer. Check its username and password.',
  ],
];

/** `errorText` is as Chromium writes it: `net::ERR_NAME_NOT_RESOLVED`. */
export function pageErrorOfNetError(errorText: string): PageError {
  const name = errorText.replace(/^net::/, '').slice(0, 100);
  const row = rows.find(([pattern]) => pattern.test(name));
  if (!row) return new PageError('PAGE_FAILED', `The page did not load: ${name}.`);
  const [, code, message] = row;
  return new PageError(code, `${message} (${name})`);
}
