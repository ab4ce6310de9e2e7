import { expect, test } from 'vitest';
import { fileIn } from './base64.ts';

const content = Buffer.from(Array.from({ length: 300 }, (_, index) => (index * 7) % 256));
const base64 = content.toString('base64');

test.each([
  ['as it is', base64],
  ['with escaped slashes', base64.replaceAll('/', '\\/')],
  ['with slashes as Selenium for Java escapes them', base64.replaceAll('/', '\\u002f')],
  ['in lines', base64.replaceAll(/.{76}/g, '$&\\r\\n')],
  ['in lines with escapes by number', base64.replaceAll(/.{76}/g, '$&\\u000a')],
])('a file in base64 is decoded %s, wherever its chunks end', async (_how, text) => {
  expect(base64).toContain('/');
  const body = Buffer.from(`{"file":"${text}"}`);
  for (const size of [1, 2, 3, 5, 7, 64, 1000]) {
    const chunks = async function* () {
      for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
    };
    expect(Buffer.concat(await Array.fromAsync(fileIn(chunks())))).toEqual(content);
  }
});
