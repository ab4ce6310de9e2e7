import { expect, it } from 'vitest';
import { decodeBase64, memberBytes } from './member-bytes.ts';
import { unescapeJson } from './read-document.ts';
import { splitArray } from './split-array.ts';

it('finds the bytes of a member without parsing the message', () => {
  const message = Buffer.from('{"id":7,"result":{"data":"aGk=","x":"y"}}');
  expect(memberBytes(message, 'data').toString()).toBe('aGk=');
  expect(() => memberBytes(message, 'body')).toThrow('no body');
});

it('decodes base64 of any length, in pieces', async () => {
  for (const length of [0, 1, 2, 3, 100, 2 ** 20 - 1, 2 ** 21 + 1]) {
    const bytes = Buffer.alloc(length, 'abcdefg');
    const decoded = await decodeBase64(Buffer.from(bytes.toString('base64')));
    expect(Buffer.from(decoded).equals(bytes), String(length)).toBe(true);
  }
});

it('reads a long string of JSON in pieces that cut nothing', async () => {
  for (const unit of ['plain', 'é€😀', '\n"\\\u0001', '\u{1f600}x', '\\u0041']) {
    const text = `x${unit.repeat(200_000)}`;
    const ascii = JSON.stringify(text).replace(
      /[^ -~]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    for (const json of [JSON.stringify(text), ascii]) {
      const bytes = await unescapeJson(Buffer.from(json.slice(1, -1)));
      expect(Buffer.from(bytes).toString() === text, unit).toBe(true);
    }
  }
});

it('splits an array into its objects', () => {
  const objects = [{ a: '}]"\\' }, { b: [{ c: {} }] }, {}];
  const text = Buffer.from(`{"x":${JSON.stringify(objects)},"y":[1]}`);
  const parts = [...splitArray(text, text.indexOf('['))].map((part) => JSON.parse(part.toString()));
  expect(parts).toEqual(objects);
  expect([...splitArray(Buffer.from('[{"a":"'), 0)]).toEqual([]);
});
