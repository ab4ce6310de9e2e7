import { expect, it } from 'vitest';
import { errorOfNetError, errorOfStatus } from './load-errors.ts';

it('gives each network error of Chromium its code', () => {
  const codes = {
    'net::ERR_NAME_NOT_RESOLVED': 'PAGE_DNS',
    'net::ERR_DNS_TIMED_OUT': 'PAGE_DNS',
    'net::ERR_CERT_DATE_INVALID': 'PAGE_TLS',
    'net::ERR_SSL_PROTOCOL_ERROR': 'PAGE_TLS',
    'net::ERR_TOO_MANY_REDIRECTS': 'PAGE_REDIRECTS',
    'net::ERR_TUNNEL_CONNECTION_FAILED': 'PAGE_PROXY',
    'net::ERR_PROXY_CONNECTION_FAILED': 'PAGE_PROXY',
    'net::ERR_TIMED_OUT': 'PAGE_TIMEOUT',
    'net::ERR_CONNECTION_TIMED_OUT': 'PAGE_TIMEOUT',
    'net::ERR_BLOCKED_BY_CLIENT': 'PAGE_BLOCKED',
    'net::ERR_UNSAFE_PORT': 'PAGE_BLOCKED',
    'net::ERR_INVALID_URL': 'PAGE_URL',
    'net::ERR_CONNECTION_RESET': 'PAGE_CONNECTION',
    'net::ERR_EMPTY_RESPONSE': 'PAGE_CONNECTION',
    'net::ERR_ADDRESS_UNREACHABLE': 'PAGE_CONNECTION',
    'net::ERR_ABORTED': 'PAGE_FAILED',
  };
  for (const [text, code] of Object.entries(codes))
    expect([text, errorOfNetError(text).code]).toEqual([text, code]);
});

it('tells what a proxy answers from what the page answers', () => {
  const code = (status: number, headers = {}) => errorOfStatus(status, headers).code;
  expect(code(404)).toBe('PAGE_HTTP_404');
  expect(code(503, { 'x-squid-error': 'ERR_DNS_FAIL 0' })).toBe('PAGE_DNS');
  expect(code(503, { 'x-squid-error': 'ERR_CONNECT_FAIL 111' })).toBe('PAGE_CONNECTION');
  expect(code(502, { 'x-squid-error': 'ERR_READ_ERROR 0' })).toBe('PAGE_PROXY');
  expect(code(403, { 'x-refused-by': 'block_hosts' })).toBe('PAGE_BLOCKED');
  expect(code(502, { 'x-refused-by': 'proxy_failure' })).toBe('PAGE_PROXY');
  expect(code(403, { 'x-error-code': 'TARGET_NOT_ALLOWED' })).toBe('PAGE_BLOCKED');
});
