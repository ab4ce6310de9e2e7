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
export function errorOfNetError(errorText: string): PageError {
  const name = errorText.replace(/^net::/, '').slice(0, 100);
  const row = rows.find(([pattern]) => pattern.test(name));
  if (!row) return new PageError('PAGE_FAILED', `The page did not load: ${name}.`);
  const [, code, message] = row;
  return new PageError(code, `${message} (${name})`);
}

/** Squid's names of its error pages (X-Squid-Error), for what is no answer of the page itself. */
const squidErrors: readonly (readonly [start: string, code: PageError['code'], message: string])[] = [
  ['ERR_DNS_FAIL', 'PAGE_DNS', "The proxy could not resolve the name of the page's host. Check url."],
  [
    'ERR_CONNECT_FAIL',
    'PAGE_CONNECTION',
    'The proxy could not connect to the page. Check that the server runs.',
  ],
  ['ERR_SECURE_CONNECT_FAIL', 'PAGE_TLS', "The proxy's TLS connection to the page failed."],
  ['ERR_ACCESS_DENIED', 'PAGE_BLOCKED', 'The proxy refuses this page.'],
  ['ERR_CACHE_ACCESS_DENIED', 'PAGE_PROXY', 'The proxy refuses the sign-in of the session.'],
  ['ERR_READ_TIMEOUT', 'PAGE_TIMEOUT', 'The page did not answer the proxy in time.'],
  ['ERR_', 'PAGE_PROXY', 'The proxy could not fetch the page.'],
];

/** What the service's own proxy sends as X-Error-Code (apps/proxy/src/refusal.ts). */
const meteredErrors: Readonly<Record<string, readonly [code: PageError['code'], message: string]>> = {
  TARGET_NOT_ALLOWED: ['PAGE_BLOCKED', 'The proxy refuses this address: it is in a private network.'],
  TARGET_UNREACHABLE: [
    'PAGE_CONNECTION',
    'The proxy could not connect to the page. Check that the server runs.',
  ],
  TARGET_TIMEOUT: ['PAGE_TIMEOUT', 'The page did not answer the proxy in time.'],
};

/** A response with a status of 400 or more: of the page, of the session's own rules, or of a proxy. */
export function errorOfStatus(status: number, headers: Readonly<Record<string, string>>): PageError {
  const refusedBy = headers['x-refused-by'];
  if (refusedBy === 'proxy_failure') return proxyFailure();
  if (refusedBy !== undefined) return errorOfRefusal(refusedBy.slice(0, 100));
  const squidError = headers['x-squid-error'];
  const row = squidError !== undefined && squidErrors.find(([start]) => squidError.startsWith(start));
  if (row) return new PageError(row[1], `${row[2]} (${squidError.slice(0, 100)})`);
  const metered = meteredErrors[headers['x-error-code'] ?? ''];
  if (metered) return new PageError(...metered);
  return new PageError(
    `PAGE_HTTP_${status}`,
    `The page answered with status ${status}. Pass ignoreHttpErrors to read it all the same.`,
  );
}

const proxyFailure = () =>
  new PageError(
    'PAGE_PROXY',
    'The proxy could not carry the request. Check that it runs, and what it may reach.',
  );

/** `reason` is a rule of the session: allow_hosts, block_hosts, block or max_bytes. */
export const errorOfRefusal = (reason: string): PageError =>
  new PageError('PAGE_BLOCKED', `The session may not reach this page: ${reason} refuses it.`);
