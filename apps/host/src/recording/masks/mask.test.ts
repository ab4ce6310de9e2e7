import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectLinear } from '../../../../../tests/fixtures/suite/cost.ts';
import { Mask } from './mask.ts';
import { maskParams, maskResult } from './mask-command.ts';
import examples from './mask-examples.json' with { type: 'json' };
import { SecretSet } from './secret-set.ts';
import { isTelling } from './telling-names.ts';

const newMask = () => new Mask(new SecretSet());

/** Texts as tokens and passwords are: long enough to be told from words. */
const secret = fc
  .string({ minLength: 12, maxLength: 40, unit: 'grapheme-ascii' })
  .filter((text) => /^\S+$/.test(text) && /[a-z]/i.test(text) && /\d/.test(text));

describe('URLs', () => {
  test('are without user and password, and keep what says nothing', () => {
    const { url } = { url: (text: string) => newMask().url(text) };
    expect(url('https://joe:hunter2@shop.test/a?page=2&q=shoes#top')).toBe(
      'https://shop.test/a?page=2&q=shoes#top',
    );
    expect(url('https://shop.test/cb?code=4711&access_token=abc&page=2')).toBe(
      'https://shop.test/cb?code=•••&access_token=•••&page=2',
    );
    expect(url('https://shop.test/#id_token=abc&state=1')).toBe('https://shop.test/#id_token=•••&state=1');
    expect(url('https://shop.test/a;jsessionid=1234?x=1')).toBe('https://shop.test/a;jsessionid=•••?x=1');
    expect(url('https://shop.test/?next=https%3A%2F%2Fa.test%2F%3Ftoken%3Dabc')).toBe(
      'https://shop.test/?next=•••',
    );
    expect(url('data:text/html,<p>secret')).toBe('data:text/html,…');
    expect(url('blob:https://joe:pw@shop.test/1')).toBe('blob:https://shop.test/1');
    expect(url(`https://shop.test/${'a'.repeat(5000)}`).length).toBeLessThan(2100);
    expect(url('https://shop.test/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc/x')).toBe(
      'https://shop.test/•••/x',
    );
  });

  test('never have a value whose name tells', () => {
    fc.assert(
      fc.property(
        secret,
        fc.constantFrom('token', 'api_key', 'passwd', 'sessionToken', 'X-Amz-Signature'),
        (value, name) => {
          const text = newMask().url(`http://a.test/p?x=1&${name}=${encodeURIComponent(value)}&y=2`);
          expect(text).toBe(`http://a.test/p?x=1&${name}=•••&y=2`);
        },
      ),
    );
  });
});

test('headers have values only where their names are known to be harmless', () => {
  const mask = newMask();
  expect(
    mask.headers({
      Accept: '*/*',
      Cookie: 'sid=1',
      'X-Api-Key': 'k',
      'X-Unknown': 'u',
      'sec-fetch-mode': 'cors',
      Referer: 'http://joe:pw@a.test/?token=t',
    }),
  ).toEqual({
    Accept: '*/*',
    Cookie: '•••',
    'X-Api-Key': '•••',
    'X-Unknown': '•••',
    'sec-fetch-mode': 'cors',
    Referer: 'http://a.test/?token=•••',
  });
});

describe('what was seen once is masked everywhere', () => {
  const encodings: readonly ((text: string) => string)[] = [
    (text) => text,
    encodeURIComponent,
    (text) => new URLSearchParams({ '': text }).toString().slice(1),
    (text) => JSON.stringify(text).slice(1, -1),
    (text) => Buffer.from(text).toString('base64').replace(/=+$/, ''),
  ];
  const seenIn: Readonly<Record<string, (mask: Mask, value: string) => void>> = {
    'a cookie': (mask, value) => mask.learnHeaders({ Cookie: `a=1; sid=${value}` }),
    'a new cookie': (mask, value) =>
      mask.learnHeaders({ 'set-cookie': `a=1; Path=/\nsid=${value}; HttpOnly` }),
    'an authorization': (mask, value) => void mask.headers({ Authorization: `Bearer ${value}` }),
    'a password of basic authorization': (mask, value) =>
      mask.learnHeader('authorization', `Basic ${Buffer.from(`joe:${value}`).toString('base64')}`),
    'a form': (mask, value) =>
      void mask.body(new URLSearchParams({ user: 'joe', password: value }).toString()),
    JSON: (mask, value) => void mask.body(JSON.stringify({ user: 'joe', login: { password: value } })),
    'a multipart form': (mask, value) =>
      void mask.body(`--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n${value}\r\n--b--\r\n`),
    'typed text': (mask, value) => mask.typed(value),
    'a URL': (mask, value) => void mask.url(`http://joe:${encodeURIComponent(value)}@a.test/`),
  };

  for (const [place, see] of Object.entries(seenIn)) {
    test(place, () => {
      const clean = secret.filter((text) => !/[;,"\\&<>\r\n]/.test(text));
      fc.assert(
        fc.property(
          clean,
          fc.constantFrom(...encodings),
          fc.string(),
          fc.string(),
          (value, encode, before, after) => {
            const mask = newMask();
            see(mask, value);
            expect(mask.text(before + encode(value) + after, 10_000)).not.toContain(encode(value));
          },
        ),
      );
    });
  }
});

test('bodies lose the values of telling fields and keep the others', () => {
  const mask = newMask();
  expect(mask.body('user=joe&password=hunter2&page=1')).toBe('user=joe&password=•••&page=1');
  expect(mask.body('{"user":"joe","pin":1234,"token" : "a\\"b","page":1}')).toBe(
    '{"user":"joe","pin":"•••","token" : "•••","page":1}',
  );
  expect(
    mask.body('<input type="password" value="hunter2"><input name=csrf value=abc><input name=q value=x>'),
  ).toBe('<input type="password" value="•••"><input name=csrf value="•••"><input name=q value=x>');
});

test.each(examples)('$kind stays as it was: $input', ({ kind, input, output }) => {
  const mask = newMask();
  const shown = {
    body: () => mask.body(input),
    url: () => mask.url(input),
    text: () => mask.text(input, 1000),
  };
  expect(shown[kind as keyof typeof shown]()).toBe(output);
});

describe('what a page makes up takes time that grows with its length only', () => {
  const parts = [
    ...[
      'eyJ-',
      'eyJabcdefgh.',
      '"',
      '"a":1,',
      '"a":"',
      '"\\x":"\\x",',
      '\\',
      '\\"',
      'name="',
      'name="a"\r\n',
      'name="a"x',
    ],
    ...[
      'x: y\r\n',
      '\r\n',
      '<input ',
      '<input<input',
      '<input value="',
      "<input a='b",
      'a=%&',
      'a=%20&',
      'password=abcdefg1&',
    ],
    ...[
      '&',
      '=',
      '?',
      ';',
      '#',
      '/',
      ' ',
      '\t',
      ' = ',
      'value=',
      'Bearer ',
      'basic',
      'Basic  a',
      'a',
      '.',
      '-',
      ':',
      'é',
      'a:',
      '@',
    ],
  ];
  const wholes: Readonly<Record<string, (mask: Mask, text: string) => unknown>> = {
    body: (mask, text) => mask.body(text),
    text: (mask, text) => mask.text(text, text.length),
    url: (mask, text) => mask.url(`http://${text}`),
    authorization: (mask, text) => mask.learnHeader('Authorization', `${text}x`),
    cookie: (mask, text) => mask.learnHeader('Cookie', text),
    'looks of a typed text': (mask, text) => mask.typed(text),
  };
  for (const [what, work] of Object.entries(wholes)) {
    test(what, async () => {
      for (const part of parts) {
        const input = (size: number) => part.repeat(Math.ceil(size / part.length)).slice(0, size);
        await expectLinear(input, (text) => work(newMask(), text), { from: 2 ** 12, to: 2 ** 16 });
      }
    });
  }

  test('the name of a field', async () => {
    for (const part of ['a', 'A', 'aA', '-', 'pass-', 'api-_', '1']) {
      await expectLinear(
        (size) => part.repeat(size),
        (text) => isTelling(text),
      );
    }
  });
});

test('no more of a body is read than twice what is recorded, and no secret is left at its end', () => {
  const mask = newMask();
  mask.learnSecret('very-secret-value-1');
  for (const length of [128 * 1024 - 10, 200_000]) {
    const text = mask.body(`${'x '.repeat(length / 2)}very-secret-value-1${' y'.repeat(50_000)}`);
    expect(text.length).toBeLessThan(128 * 1024);
    expect(text).not.toContain('very-sec');
  }
});

test('a text that is cut ends before a secret that goes on behind the cut', () => {
  const mask = newMask();
  mask.learnSecret('very-secret-value-1');
  for (const before of [385, 390, 395]) {
    const masks = 'very-secret-value-1 '.repeat(before / 20);
    const text = mask.text(`${masks}${'x'.repeat(before % 20)}very-secret-value-1 and on`.repeat(3), 100);
    expect(text).not.toContain('very');
  }
  expect(mask.text(`${'a '.repeat(195)}eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc`, 100)).not.toContain('eyJ');
});

test('what one text teaches is bounded, and so is what is remembered', () => {
  const mask = newMask();
  const form = Array.from({ length: 4000 }, (_, i) => `password=${i}was${i}taught`).join('&');
  expect(mask.body(form)).not.toContain('taught');
  expect(mask.text('1was1taught 3000was3000taught', 100)).toBe('••• 3000was3000taught');
  const secrets = new SecretSet();
  for (let i = 0; i < 100; i++) secrets.learn(`${i}-${'é%"'.repeat(1000)}`);
  for (let i = 0; i < 1000; i++) secrets.learn(`${i}-plain`);
  expect(secrets.size.secrets).toBeLessThanOrEqual(512);
  expect(secrets.size.characters).toBeLessThanOrEqual(2 ** 19);
});

test('a new secret costs the same however many there are', async () => {
  await expectLinear(
    (size) => Array.from({ length: size }, (_, i) => `secret-${i}-x`),
    (all) => {
      const secrets = new SecretSet();
      for (const one of all) secrets.learn(one);
    },
    { from: 2 ** 11, to: 2 ** 14 },
  );
});

test('when enough was read, nothing more is until it is refilled', () => {
  const mask = newMask();
  expect(mask.isSpent).toBe(false);
  for (let i = 0; i < 20; i++) mask.body('x'.repeat(100_000));
  expect(mask.isSpent).toBe(true);
  mask.refill();
  expect(mask.isSpent).toBe(false);
});

describe('commands', () => {
  test('keep texts that are known to be harmless, and the lengths of others', () => {
    const mask = newMask();
    expect(
      maskParams('Page.navigate', { url: 'http://joe:pw@a.test/', frameId: 'A'.repeat(32) }, mask),
    ).toEqual({
      url: 'http://a.test/',
      frameId: 'A'.repeat(32),
    });
    expect(maskParams('Runtime.evaluate', { expression: 'login("pw")', returnByValue: true }, mask)).toEqual({
      expression: 'string(11)',
      returnByValue: true,
    });
    expect(
      maskParams('Runtime.callFunctionOn', { arguments: [{ value: 1234 }, { value: 'a' }] }, mask),
    ).toEqual({
      arguments: '2 values',
    });
    expect(
      maskParams('Input.dispatchKeyEvent', { type: 'char', text: 'a', windowsVirtualKeyCode: 65 }, mask),
    ).toEqual({
      type: 'char',
    });
    expect(maskParams('Input.insertText', { text: 'hunter2' }, mask)).toEqual({ text: 'string(7)' });
    expect(maskParams('Page.enable', {}, mask)).toBeUndefined();
    expect(maskResult('Runtime.evaluate', { result: { value: 'pw' } }, mask)).toBeUndefined();
    expect(
      maskResult('Page.navigate', { errorText: 'net::ERR_FAILED', frameId: 'A'.repeat(32) }, mask),
    ).toEqual({
      errorText: 'net::ERR_FAILED',
      frameId: 'A'.repeat(32),
    });
  });

  test('of any shape lose every text', () => {
    fc.assert(
      fc.property(
        fc.object({ key: fc.constantFrom('a', 'text', 'value'), maxDepth: 8 }),
        secret,
        (shape, value) => {
          const params = { ...shape, [value]: [{ deep: value }], text: value };
          expect(JSON.stringify(maskParams('Some.method', params, newMask()))).not.toContain(
            JSON.stringify(value).slice(1, -1),
          );
        },
      ),
    );
  });
});

test('the oldest of many secrets are forgotten, those of the session never', () => {
  const secrets = new SecretSet(['the-session-1']);
  for (let i = 0; i < 2000; i++) secrets.learn(`secret-${i}-x`);
  expect(secrets.scrub('the-session-1 secret-1999-x secret-0-x')).toBe('••• ••• secret-0-x');
});
