import { expect, it } from 'vitest';
import { HiddenScripts } from './hidden-scripts.ts';

const hash = 'ab'.repeat(32);
const own = { hash, length: 169 };

const scriptParsed = (scriptId: string, members: object = {}) =>
  JSON.stringify({
    method: 'Debugger.scriptParsed',
    params: {
      scriptId,
      url: '',
      startLine: 0,
      startColumn: 0,
      endLine: 0,
      endColumn: 169,
      executionContextId: 1,
      hash,
      buildId: '',
      executionContextAuxData: { isDefault: true },
      sourceMapURL: '',
      length: 169,
      ...members,
    },
    sessionId: 'A'.repeat(32),
  });

const ranges = (startOffset: number, endOffset: number) => [{ startOffset, endOffset, count: 1 }];
const whole = (scriptId: string, url: string, length: number) => ({
  scriptId,
  url,
  functions: [
    { functionName: '', ranges: ranges(0, length), isBlockCoverage: true },
    { functionName: 'a', ranges: ranges(1, length), isBlockCoverage: true },
  ],
});
const part = (scriptId: string, url: string) => ({
  scriptId,
  url,
  functions: [{ functionName: 'a', ranges: ranges(1, 9), isBlockCoverage: false }],
});
const answer = (scripts: object[], more: object = { timestamp: 1.5 }) =>
  JSON.stringify({ id: 5, result: { result: scripts, ...more }, sessionId: 'A'.repeat(32) });

/** What a client reads in the place of a message, from among others. */
function read(hidden: HiddenScripts, message: string): string | null {
  const bytes = Buffer.from(`before${message}behind`);
  const replaced = hidden.replace(bytes, 'before'.length, bytes.length - 'behind'.length);
  return replaced === undefined ? message : (replaced?.toString() ?? null);
}

it('hides that the script was parsed, and no other', () => {
  const hidden = new HiddenScripts([own]);
  expect(read(hidden, scriptParsed('3'))).toBeNull();
  for (const members of [
    { hash: 'cd'.repeat(32) },
    { url: 'https://example.com/' },
    { url: `","url":"","hash":"${hash}"` },
    { hash: '', sourceMapURL: `"hash":"${hash}"` },
  ]) {
    expect(read(hidden, scriptParsed('4', members))).toBe(scriptParsed('4', members));
  }
});

it.each([
  ['first', [whole('4', '', 169), whole('5', 'https://a.test/', 169)]],
  ['last', [whole('5', 'https://a.test/]}]},{', 9), whole('4', '', 169)]],
  ['between', [whole('5', '', 9), whole('4', '', 169), part('6', '')]],
  ['alone', [whole('4', '', 169)]],
])('takes the script out of coverage: %s', (_where, scripts) => {
  const shown = scripts.filter(({ scriptId }) => scriptId !== '4');
  expect(read(new HiddenScripts([own]), answer(scripts))).toBe(answer(shown));
  expect(read(new HiddenScripts([own]), answer(scripts, {}))).toBe(answer(shown, {}));
});

it('knows the script again where only a part of it is covered, until the id is another’s', () => {
  const hidden = new HiddenScripts([own]);
  const partly = answer([part('3', ''), part('7', '')]);
  expect(read(hidden, partly)).toBe(partly);
  read(hidden, scriptParsed('3'));
  expect(read(hidden, partly)).toBe(answer([part('7', '')]));
  read(hidden, scriptParsed('3', { url: 'https://a.test/' }));
  expect(read(hidden, partly)).toBe(partly);
});

it.each([
  ['an answer', '{"id":1,"result":{"result":{"type":"number","value":1}}}'],
  ['no coverage', answer([])],
  ['an event', '{"method":"Debugger.paused","params":{}}'],
  ['something short', '{}'],
])('passes %s as it is', (_what, message) => {
  expect(read(new HiddenScripts([own]), message)).toBe(message);
});
