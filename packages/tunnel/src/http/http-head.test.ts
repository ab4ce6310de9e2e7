import { describe, expect, test } from 'vitest';
import { expectLinear } from '../../../../tests/fixtures/suite/cost.ts';
import { endToEnd } from './hop-headers.ts';
import { responseFraming } from './http-framing.ts';
import { formatHead, parseRequestHead, parseResponseHead } from './http-head.ts';
import { hasToken } from './http-headers.ts';

const request = (lines: string) => `GET http://a/ HTTP/1.1\r\n${lines}\r\n\r\n`;
const response = (lines: string) => `HTTP/1.1 200 OK\r\n${lines}\r\n\r\n`;

/** Parts of heads, to be repeated. */
const runs = [' ', '\t', ',', ' ,', ', ', '1, ', ':', ';', '=', 'a', '\xa0', '\xff', '1', '"', 'close,'];
const more = ['\r', '\n', '\r\n', '\r\n ', '\n\t', '\x01', 'a\r\n', 'a:\r\n', 'a: b\r\n', 'chunked, '];
const begins = ['', 'A:', 'A', 'Content-Length: 1', 'Connection: ', 'Transfer-Encoding: ', 'Host: a\r\n'];
const ends = ['', '\x01', '1', ':'];

describe('heads of any kind', () => {
  const readRequest = (text: string) => {
    try {
      const { headers } = parseRequestHead(text);
      formatHead('GET / HTTP/1.1', endToEnd(headers));
      hasToken(headers, 'connection', 'close');
    } catch {}
  };
  const readResponse = (text: string) => {
    try {
      const head = parseResponseHead(text);
      responseFraming(head, 'GET');
      formatHead('HTTP/1.1 200 OK', endToEnd(head.headers));
      hasToken(head.headers, 'connection', 'close');
    } catch {}
  };

  test.each([...runs, ...more].map((run) => [JSON.stringify(run), run]))(
    'cost as much as they are long: with many %s',
    async (_name, run) => {
      for (const begin of begins) {
        for (const end of ends) {
          const filled = (size: number) => begin + run.repeat(size / run.length) + end;
          await expectLinear((size) => request(filled(size)), readRequest, { from: 2 ** 13, to: 2 ** 16 });
          await expectLinear((size) => response(filled(size)), readResponse, { from: 2 ** 13, to: 2 ** 16 });
        }
      }
    },
  );

  test.each([
    ['request', () => parseRequestHead(`${' '.repeat(2 ** 17)}\r\n\r\n`)],
    ['request', () => parseRequestHead(`GET ${'a'.repeat(2 ** 17)} \r\n\r\n`)],
    ['response', () => parseResponseHead(`HTTP/1.1${' '.repeat(2 ** 17)}x\r\n\r\n`)],
  ])('have a first line whose spaces cost no more: a %s', (_name, parse) => {
    expect(parse).toThrow('line is not valid');
  });
});

test('a value has no spaces or tabs around it, and nothing else is removed', () => {
  const { headers } = parseRequestHead(request('A: \t b c\t \r\nB:\r\nC:\xa0d\xa0\r\nD: \t '));
  expect(headers).toEqual(['A', 'b c', 'B', '', 'C', '\xa0d\xa0', 'D', '']);
});

test.each(['A:\x01', 'A: b\x7f', 'A\x00: b', 'A : b', ': b', 'A', ' A: b', 'A: b\n'])(
  'a request with the line %j is refused',
  (line) => expect(() => parseRequestHead(request(line))).toThrow('header line'),
);

test('a head has a limit of lines, and of what Connection names', () => {
  const lines = (count: number) => 'a: b\r\n'.repeat(count).slice(0, -2);
  expect(parseRequestHead(request(lines(1900))).headers).toHaveLength(3800);
  expect(parseResponseHead(response(lines(1900))).headers).toHaveLength(3800);
  expect(() => parseRequestHead(request(lines(2001)))).toThrow('more than 2000');
  expect(() => parseResponseHead(response(lines(2001)))).toThrow('more than 2000');
  for (const name of ['Connection', 'Proxy-Connection']) {
    const long = `${name}: ${'a,'.repeat(3000)}`;
    expect(() => parseRequestHead(request(long))).toThrow('Connection header');
    expect(() => parseResponseHead(response(long))).toThrow('Connection header');
  }
});

test('a length that is repeated many times, or is far from its comma, is refused', () => {
  for (const value of [`1${' '.repeat(250_000)}1`, '1,'.repeat(100_000)]) {
    const head = parseResponseHead(response(`Content-Length: ${value}`));
    expect(() => responseFraming(head, 'GET')).toThrow('Content-Length');
  }
  const twice = parseResponseHead(response('Content-Length: 12 , 12'));
  expect(responseFraming(twice, 'GET')).toEqual({ kind: 'length', length: 12 });
});
