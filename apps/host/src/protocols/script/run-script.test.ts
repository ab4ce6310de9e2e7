import { maxScriptAnswerBytes } from '@turnpike/contract/page/script';
import { joinHead } from '@turnpike/process/head-and-bytes';
import { expect, test } from 'vitest';
import { AnswerReader } from './run-script.ts';

let reserved: number[] = [];
const roomy = {
  reserve(bytes: number) {
    reserved.push(bytes);
    return { [Symbol.dispose]: () => void reserved.pop() };
  },
};

/** What is read of these bytes, in pieces of this length. */
function read(bytes: Buffer, pieceBytes = bytes.length) {
  using reader = new AnswerReader(roomy);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const answer = reader.read(bytes.subarray(at, at + pieceBytes));
    if (answer) return 'error' in answer ? answer : { ...answer, body: Buffer.from(answer.body).toString() };
  }
  return undefined;
}

const body = Buffer.from('the body');
const head = { type: 'text/plain', bytes: body.length, fileName: 'a.txt' };
const failed = (message: unknown) => ({ error: { code: 'SCRIPT_FAILED', message } });

test.for([1, 3, 40, 1000])('an answer in pieces of %i bytes is put together', (pieceBytes) => {
  const whole = { type: 'text/plain', fileName: 'a.txt', body: 'the body' };
  expect(read(joinHead(head, body), pieceBytes)).toEqual(whole);
  expect(read(joinHead(head, body, Buffer.from('more')), pieceBytes)).toEqual(whole);
  expect(read(joinHead({ ...head, bytes: 0 }), pieceBytes)).toMatchObject({ body: '' });
  expect(read(joinHead(head, body.subarray(1)), pieceBytes)).toBeUndefined();
});

test('an error has the words of the script, cut', () => {
  expect(read(joinHead({ error: 'no' }))).toEqual(failed('no'));
  expect(read(joinHead({ error: 'x'.repeat(10_000) }))).toEqual(failed('x'.repeat(4000)));
});

test.for([
  ['a number', joinHead(Object(7))],
  ['no JSON', Buffer.from('\0\0\0\u0001{')],
  ['a long head', Buffer.from([0, 1, 0, 0])],
  ['no type', joinHead({ bytes: 1 })],
  ['negative bytes', joinHead({ ...head, bytes: -1 })],
  ['half a byte', joinHead({ ...head, bytes: 0.5 })],
] as const)('%s is no result', ([, bytes]) => {
  expect(read(bytes)).toEqual(failed(expect.stringContaining('no result')));
});

test('no memory is taken for what is too large, and none is kept', () => {
  reserved = [];
  const large = joinHead({ ...head, bytes: maxScriptAnswerBytes + 1 });
  expect(read(large)).toEqual(failed(expect.stringContaining('too much')));
  expect(reserved).toEqual([]);
  read(joinHead(head, body));
  expect(reserved).toEqual([]);
  using reader = new AnswerReader({ reserve: () => undefined });
  expect(reader.read(joinHead(head, body))).toEqual(failed(expect.stringContaining('no room')));
});

test.for(['text/html\r\nset-cookie: a=b', 'nonsense', 'text/plain; a="\n"', ''])(
  'the type %o does not get into a header',
  (type) => {
    expect(read(joinHead({ ...head, type }, body))).toMatchObject({ type: 'application/octet-stream' });
  },
);

test('a name that is too long, or half a character, is not passed on', () => {
  expect(read(joinHead({ ...head, fileName: 'x'.repeat(300) }, body))).not.toHaveProperty('fileName');
  expect(read(joinHead({ ...head, fileName: '\ud800' }, body))).toMatchObject({ fileName: '\ufffd' });
});
