import { describe, expect, test } from 'vitest';
import { expectLinear } from '../../../../tests/fixtures/suite/cost.ts';
import { DetectableStrings } from './detectable-strings.ts';

const strings = new DetectableStrings();

function hide(params: object): string {
  const message = Buffer.from(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }));
  const hidden = strings.hide(message) ?? message;
  expect(hidden.length).toBe(message.length);
  return (JSON.parse(hidden.toString()) as { params: { expression: string } }).params.expression;
}

describe('what tells a client', () => {
  test("a source's name is removed, and nothing else of the source", () => {
    const source =
      'const a = 1;\n//# sourceURL=pptr:evaluate;file%3A%2F%2F%2Fhome%2Fme%2Fscript.js\nreturn a;';
    expect(hide({ expression: source }).replaceAll(/ +\n/g, '\n')).toBe('const a = 1;\n\nreturn a;');
    expect(hide({ expression: '1 //# sourceURL=__playwright_evaluation_script__1' }).trim()).toBe('1');
    expect(hide({ expression: '1 //@ sourceURL=old' }).trim()).toBe('1');
  });

  test('a name becomes the same random word each time', () => {
    const first = hide({ expression: "globalThis['__playwright__binding__controller__']" });
    expect(first).toMatch(/^globalThis\['[a-zA-Z]{23}controller__'\]$/);
    expect(hide({ expression: "globalThis['__playwright__binding__controller__']" })).toBe(first);
    expect(first).toContain(strings.bindingName('__playwright__binding__'));
  });

  test("a class of a client's own is renamed only in its source", () => {
    const source = 'class UtilityScript {}; new (module.exports.UtilityScript())()';
    expect(hide({ expression: source })).not.toContain('UtilityScript');
    expect(hide({ expression: 'fill("UtilityScript")' })).toBe('fill("UtilityScript")');
  });

  test("a prefix of bindings is renamed where it stands alone, not in a user's text", () => {
    const argument = `add("ask", "puppeteer_")`;
    expect(hide({ expression: argument })).toBe(`add("ask", "${strings.bindingName('puppeteer_')}")`);
    expect(hide({ expression: 'fill("puppeteer_is_fine")' })).toBe('fill("puppeteer_is_fine")');
    expect(strings.bindingName('puppeteer_ask')).toMatch(/^[a-zA-Z]{10}ask$/);
    expect(strings.bindingName('ask')).toBe('ask');
  });

  test('another browser has other words', () => {
    const name = '__playwright__binding__';
    expect(new DetectableStrings().bindingName(name)).not.toBe(strings.bindingName(name));
  });

  test('a message without any is left alone', () => {
    expect(strings.hide(Buffer.from('{"id":1,"method":"Runtime.evaluate"}'))).toBeUndefined();
  });

  test.each([
    ...['//# sourceURL=', '//@ sourceURL=', '//# sourceURL=//@ sourceURL=', '//', '/', '"', '\\', '_', 'x'],
    ...[
      '__playwright__binding__',
      'module.exports.UtilityScript',
      '"puppeteer_"',
      '"puppeteer_',
      'UtilityScript',
    ],
  ])('the cost of %s, repeated, grows with its length', async (text) => {
    const message = (size: number) => Buffer.from(text.repeat(size / text.length));
    await expectLinear(message, (bytes) => strings.hide(bytes), { from: 2 ** 15, to: 2 ** 21 });
  });

  test('a comment within a comment goes with it, and what follows a line stays', () => {
    const source = `${'//# sourceURL='.repeat(75_000)}\nstays //# sourceURL=name`;
    expect(hide({ expression: source }).trim()).toBe('stays');
  });
});
