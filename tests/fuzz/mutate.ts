import type { Random } from './random.ts';

/** Bytes and words that parsers stumble over. */
const telling = [
  ...[
    '\r\n',
    '\r',
    '\n',
    '\0',
    '\x01',
    '\x7f',
    '\xff',
    ' ',
    '\t',
    ':',
    '%',
    '%00',
    '%zz',
    '{',
    '[',
    '"',
    '\\',
  ],
  ...['Content-Length: 5\r\n', 'Content-Length: -1\r\n', 'Content-Length: 99999999999999999999\r\n'],
  ...['Transfer-Encoding: chunked\r\n', 'Transfer-Encoding: xchunked\r\n', 'Connection: upgrade\r\n'],
  ...['Expect: 100-continue\r\n', 'Upgrade: h2c\r\n', 'Host: \r\n', 'ffffffffffffffff\r\n', '0\r\n\r\n'],
  ...['HTTP/1.1 200 \x01\r\n', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 'HTTP/0.9', 'GET ', 'CONNECT '],
].map((text) => Buffer.from(text, 'latin1'));

type Change = (random: Random, bytes: Buffer, other: Buffer) => Buffer;

const changes: readonly Change[] = [
  (random, bytes) => {
    const changed = Buffer.from(bytes);
    changed[random.below(bytes.length)] = random.below(256);
    return changed;
  },
  (random, bytes) => insert(random, bytes, random.pick(telling)),
  (random, bytes) => insert(random, bytes, random.bytes(1 + random.below(64))),
  (random, bytes) => insert(random, bytes, Buffer.alloc(1 + random.below(100_000), random.below(256))),
  (random, bytes) => {
    const [from, to] = range(random, bytes);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  },
  (random, bytes) => {
    const [from, to] = range(random, bytes);
    return insert(random, bytes, bytes.subarray(from, to));
  },
  (random, bytes, other) => {
    const [from, to] = range(random, other);
    return insert(random, bytes, other.subarray(from, to));
  },
  (random, bytes) => {
    const digits = [...bytes.toString('latin1').matchAll(/\d+/g)];
    const found = digits.length > 0 ? random.pick(digits) : undefined;
    if (!found) return bytes;
    const number = random.pick(['0', '-1', '65536', '2147483648', '18446744073709551616', '1e999', 'NaN']);
    const after = bytes.subarray(found.index + found[0].length);
    return Buffer.concat([bytes.subarray(0, found.index), Buffer.from(number), after]);
  },
];

/** A few changes to valid bytes; `other` is another valid message to take pieces from. */
export function mutate(random: Random, bytes: Buffer, other: Buffer): Buffer {
  let changed = bytes;
  for (let left = 1 + random.below(4); left > 0; left--) {
    if (changed.length === 0) return random.bytes(8);
    changed = random.pick(changes)(random, changed, other.length > 0 ? other : changed);
  }
  return changed;
}

function insert(random: Random, bytes: Buffer, added: Buffer): Buffer {
  const at = random.below(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at)]);
}

function range(random: Random, { length }: Buffer): [number, number] {
  const from = random.below(length);
  return [from, Math.min(length, from + 1 + random.below(Math.max(1, length - from)))];
}
