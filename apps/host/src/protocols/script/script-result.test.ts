import { expect, test } from 'vitest';
import { typeOfBytes, typeOfFile } from './content-type.ts';
import { showResult } from './script-result.ts';

const shown = (result: unknown) => {
  const { type, body } = showResult(result);
  return [type, Buffer.from(body).toString()];
};

test.for([
  ['plain', 'text/plain; charset=UTF-8', 'plain'],
  ['<p>text</p>', 'text/html; charset=UTF-8', '<p>text</p>'],
  [7, 'text/plain; charset=UTF-8', '7'],
  [undefined, 'text/plain; charset=UTF-8', ''],
  [null, 'text/plain; charset=UTF-8', 'null'],
  [[1], 'application/json; charset=UTF-8', '[\n  1\n]'],
  [{ data: 1, type: 'x' }, 'application/json; charset=UTF-8', '{\n  "data": 1,\n  "type": "x"\n}'],
  [Buffer.from('%PDF-1.7'), 'application/pdf', '%PDF-1.7'],
  [new TextEncoder().encode('GIF89a').buffer, 'image/gif', 'GIF89a'],
  [{ data: Buffer.from('a,b'), type: 'text/csv' }, 'text/csv', 'a,b'],
  [{ data: Buffer.from('%PDF-1.7') }, 'application/pdf', '%PDF-1.7'],
] as const)('%o is shown as %s', ([result, type, text]) => {
  expect(shown(result)).toEqual([type, text]);
});

test.for([
  [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0], 'image/png'],
  [[0xff, 0xd8, 0xff, 0xe0], 'image/jpeg'],
  [[...Buffer.from('RIFF....WEBPVP8')], 'image/webp'],
  [[1, 2, 3], 'application/octet-stream'],
  [[], 'application/octet-stream'],
] as const)('bytes %o are %s', ([bytes, type]) => {
  expect(typeOfBytes(Uint8Array.from(bytes))).toBe(type);
});

test.for([
  ['data.txt', 'text/plain'],
  ['Report.PDF', 'application/pdf'],
  ['archive.tar.gz', 'application/gzip'],
  ['none', 'application/octet-stream'],
  ['a.constructor', 'application/octet-stream'],
])('the file %s is %s', ([name, type]) => {
  expect(typeOfFile(name as string)).toBe(type);
});
