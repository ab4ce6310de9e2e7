import { describe, expect, test } from 'vitest';
import { framedHeaders, requestFraming, responseFraming } from './http-framing.ts';
import { parseRequestHead, parseResponseHead } from './http-head.ts';

describe('a request', () => {
  test.each([
    [[], { kind: 'none' }],
    [['Content-Length', '0'], { kind: 'length', length: 0 }],
    [['content-length', '12'], { kind: 'length', length: 12 }],
    [['Transfer-Encoding', 'Chunked'], { kind: 'chunked' }],
  ])('with %j has the body %j', (headers, framing) => {
    expect(requestFraming(headers, 1)).toEqual(framing);
  });

  test.each([['12abc'], ['0x10'], ['-1'], ['1e3'], [''], ['9999999999999999']])(
    'with the length %j is refused',
    (length) => {
      expect(() => requestFraming(['Content-Length', length], 1)).toThrow('not a number');
    },
  );

  test('of HTTP/1.0 has no chunks', () => {
    expect(() => requestFraming(['Transfer-Encoding', 'chunked'], 0)).toThrow('chunked');
  });

  test('keeps order and spelling', () => {
    const head = parseRequestHead('GET http://a/ HTTP/1.1\r\nhost: a\r\nX-y: b \r\n\r\n');
    expect(head).toMatchObject({
      method: 'GET',
      target: 'http://a/',
      minor: 1,
      headers: ['host', 'a', 'X-y', 'b'],
    });
  });

  test.each([
    'GET  / HTTP/1.1',
    'GET / HTTP/2.0',
    'GET /',
    'G(T / HTTP/1.1',
    'GET /\x01 HTTP/1.1',
    ' GET / HTTP/1.1',
  ])('that begins with %j is refused', (line) => {
    expect(() => parseRequestHead(`${line}\r\n\r\n`)).toThrow('request line');
  });
});

describe('an answer', () => {
  const framing = (text: string, method = 'GET') => responseFraming(parseResponseHead(text), method);

  test.each([
    ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', 'GET', { kind: 'length', length: 5 }],
    [
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n',
      'GET',
      { kind: 'length', length: 5 },
    ],
    ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', 'HEAD', { kind: 'none' }],
    ['HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n', 'GET', { kind: 'none' }],
    ['HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n', 'GET', { kind: 'none' }],
    [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n',
      'GET',
      { kind: 'chunked' },
    ],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\n\r\n', 'GET', { kind: 'chunked' }],
    ['HTTP/1.0 200 OK\r\n\r\n', 'GET', { kind: 'close' }],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n', 'GET', { kind: 'close' }],
  ])('%j to %s has the body %j', (text, method, expected) => {
    expect(framing(text, method)).toEqual(expected);
  });

  test.each([
    ['HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\n'],
    ['HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n'],
  ])('%j is refused', (text) => {
    expect(() => framing(text)).toThrow();
  });

  test('says its framing once', () => {
    const headers = ['A', '1', 'Content-Length', '5', 'Transfer-Encoding', 'chunked', 'content-length', '5'];
    expect(framedHeaders(headers, { kind: 'chunked' }, 200)).toEqual([
      'A',
      '1',
      'Transfer-Encoding',
      'chunked',
    ]);
    expect(framedHeaders(headers, { kind: 'length', length: 5 }, 200)).toEqual([
      'A',
      '1',
      'Content-Length',
      '5',
    ]);
    expect(framedHeaders(headers, { kind: 'none' }, 304)).toEqual(['A', '1', 'Content-Length', '5']);
    expect(framedHeaders(headers, { kind: 'none' }, 204)).toEqual(['A', '1']);
  });
});
