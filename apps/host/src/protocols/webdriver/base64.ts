/** More than any client sends before the file. */
const maxPrefix = 64 * 1024;

/** A body that has no file. */
export class WrongUpload extends Error {}

/** Decodes the member `file` of a JSON body, which is base64, without holding the body. The rest is read and dropped. */
export async function* fileIn(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let text = '';
  let state: 'before' | 'inside' | 'after' = 'before';
  for await (const chunk of body) {
    if (state === 'after') continue;
    text += chunk.toString('latin1');
    if (state === 'before') {
      const start = /"file"\s{0,9}:\s{0,9}"/.exec(text);
      if (start) {
        state = 'inside';
        text = text.slice(start.index + start[0].length);
      } else if (text.length > maxPrefix) throw new WrongUpload('`file` must be a string.');
    }
    if (state !== 'inside') continue;
    const end = text.indexOf('"');
    if (end !== -1) {
      state = 'after';
      yield Buffer.from(unescaped(text.slice(0, end)), 'base64');
      continue;
    }
    // An escape may continue in the next chunk.
    const cut = unfinishedEscape.exec(text)?.index ?? text.length;
    const whole = unescaped(text.slice(0, cut));
    const decoded = whole.length - (whole.length % 4);
    yield Buffer.from(whole.slice(0, decoded), 'base64');
    text = whole.slice(decoded) + text.slice(cut);
  }
  if (state !== 'after') throw new WrongUpload('`file` must be a string.');
}

const unfinishedEscape = /\\(?:u[0-9a-f]{0,3})?$/i;
const escapes = /\\(?:u([0-9a-f]{4})|(.))/gi;
const digit = /[\w+/=-]/;

/** Some clients break the lines of base64, and some escape slashes: `\/`, or Selenium for Java `\u002f`. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(escapes, (_escape, code: string | undefined, short: string) => {
    if (code === undefined) return short === '/' ? short : '';
    const character = String.fromCharCode(Number.parseInt(code, 16));
    return digit.test(character) ? character : '';
  });
}

/** Encodes what follows without holding it. */
export async function* base64Of(content: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of content) {
    const all = Buffer.concat([rest, chunk]);
    const whole = all.length - (all.length % 3);
    yield all.toString('base64', 0, whole);
    rest = all.subarray(whole);
  }
  yield rest.toString('base64');
}
