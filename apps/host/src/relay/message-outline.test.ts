import fc from 'fast-check';
import { expect, it } from 'vitest';
import { outlineOf, outlineOfStart } from './message-outline.ts';

function valuesOf(text: string): Record<string, unknown> {
  const bytes = Buffer.from(text);
  const outline = Object.entries(outlineOf(bytes));
  return Object.fromEntries(
    outline.map(([name, { start, end }]) => [name, JSON.parse(bytes.toString('utf8', start, end))]),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

it('finds the members that say what a message is, wherever they are and whatever else is there', () => {
  const members = fc.record(
    {
      id: fc.integer(),
      method: fc.string(),
      params: fc.jsonValue(),
      sessionId: fc.jsonValue(),
      other: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(members, fc.constantFrom(undefined, 2), (message, indent) => {
      const text = JSON.stringify(message, null, indent);
      const { other: _, ...expected } = JSON.parse(text);
      expect(valuesOf(text)).toEqual(expected);
    }),
  );
});

it('takes what JSON is, and nothing else', () => {
  // Valid messages with a few characters changed: most are broken in a way that a client might.
  const characters = fc.constantFrom(...'{}[]":,\\u0e+-.1 tfn\n\0'.split(''), '');
  const change = fc.tuple(fc.nat(), characters);
  fc.assert(
    fc.property(fc.object(), fc.array(change, { minLength: 1, maxLength: 3 }), (message, changes) => {
      let text = JSON.stringify(message);
      for (const [where, character] of changes) {
        const at = where % (text.length + 1);
        text = text.slice(0, at) + character + text.slice(at + 1);
      }
      const value = parsed(text);
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      if (isObject) expect(() => outlineOf(Buffer.from(text))).not.toThrow();
      else expect(() => outlineOf(Buffer.from(text))).toThrow(/^JSON: (parse error|object expected)$/);
    }),
    { numRuns: 2000 },
  );
});

it('of two members of one name takes the last, and knows an escaped name', () => {
  expect(valuesOf('{"id":1,"\\u0069d":2}')).toEqual({ id: 2 });
});

it.each([
  ['arrays', (depth: number) => `{"params":${'['.repeat(depth)}${']'.repeat(depth)}}`],
  ['objects', (depth: number) => `{"params":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`],
])('refuses %s that are nested deeper than Chromium reads, without end', (_what, nested) => {
  expect(() => outlineOf(Buffer.from(nested(299)))).not.toThrow();
  for (const depth of [300, 30_000, 3_000_000]) {
    expect(() => outlineOf(Buffer.from(nested(depth)))).toThrow('JSON: stack limit exceeded');
  }
});

it('goes over a large message at once', () => {
  const large = Buffer.from(`{"id":1,"method":"a","params":{"data":"${'x'.repeat(50 * 2 ** 20)}"}}`);
  expect(outlineOf(large).params?.end).toBe(large.length - 1);
});

it('finds the members that the start of a message has whole', () => {
  const text = '{"id":12,"method":"a","params":{"data":"xxxx"},"sessionId":"b"}';
  const found = (length: number) => Object.keys(outlineOfStart(Buffer.from(text.slice(0, length))));
  expect(found(8)).toEqual([]);
  expect(found(9)).toEqual(['id']);
  expect(found(40)).toEqual(['id', 'method']);
  expect(found(50)).toEqual(['id', 'method', 'params']);
});
