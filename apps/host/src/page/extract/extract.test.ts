import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { extractionScript, pdfScript } from './extraction-script.ts';
import { escapeAddress, escapeLineStart, escapeText, fenced, inlineCode } from './inside/escape.ts';
import { fact, frontMatter } from './inside/front-matter.ts';
import { linesOfPage } from './inside/pdf-lines.ts';
import { markdownOfPages } from './inside/pdf-markdown.ts';
import { fileName, markdownOfMedia, markdownOfText, targetKind } from './inside/targets.ts';

describe('front matter', () => {
  test.each([
    'A "quoted": title # no comment',
    'yes',
    '2024-01-31',
    '- no list',
    "'single'",
    '\u2028\u0085\ufeff\u007f',
    'back\\slash',
    '[a, b]',
    '@at `tick` %percent',
    'кириллица 漢字 🙂',
  ])('YAML reads %j as it was', (title) => {
    const text = frontMatter({ title }, 'https://example.com/');
    expect(parse(text.replace(/^---\n|---\n\n$/g, ''))).toEqual({ title, url: 'https://example.com/' });
  });

  test('a fact is one line within limits', () => {
    expect(fact('  a\n\tb  ')).toBe('a b');
    expect(fact(' \n ')).toBeUndefined();
    expect(fact(7)).toBeUndefined();
    expect(fact('x'.repeat(1_000_000))).toHaveLength(2000);
  });
});

describe('escapes', () => {
  test.each([
    ['snake_case stays, _this_ not', 'snake_case stays, \\_this\\_ not'],
    ['2 * 3, *star*', '2 * 3, \\*star\\*'],
    ['[1] and [a](b)', '[1] and [a]\\(b)'],
    ['a < b, <b>', 'a < b, \\<b>'],
    ['R&D, &amp;', 'R&D, \\&amp;'],
    ['`tick` \\', '\\`tick\\` \\\\'],
    ['~~no~~', '\\~~no\\~~'],
  ])('%s', (text, escaped) => {
    expect(escapeText(text)).toBe(escaped);
  });

  test.each([
    ['# no heading', '\\# no heading'],
    ['#hashtag', '#hashtag'],
    ['1. no list', '1\\. no list'],
    ['1.5 kg', '1.5 kg'],
    ['- no list', '\\- no list'],
    ['-5 degrees', '-5 degrees'],
    ['> no quote', '\\> no quote'],
    ['---', '\\---'],
    ['[a]: b', '\\[a]: b'],
  ])('at the start of a line: %s', (line, escaped) => {
    expect(escapeLineStart(line)).toBe(escaped);
  });

  test('code has longer fences than those in it', () => {
    expect(fenced('```\na\n```', 'md')).toBe('````md\n```\na\n```\n````');
    expect(inlineCode('a`b')).toBe('``a`b``');
    expect(inlineCode('`')).toBe('`` ` ``');
  });

  test('an address ends where it ends', () => {
    expect(escapeAddress('https://example.com/a (b)')).toBe('https://example.com/a%20%28b%29');
  });
});

describe('targets that are not HTML', () => {
  test.each([
    ['text/html; charset=utf-8', 'html'],
    ['application/json', 'json'],
    ['application/ld+json', 'json'],
    ['application/rss+xml', 'xml'],
    ['image/svg+xml', 'image'],
    ['text/csv', 'text'],
    ['text/markdown', 'markdown'],
    ['audio/mpeg', 'media'],
    ['', 'html'],
  ])('%s is %s', (type, kind) => {
    expect(targetKind(type)).toBe(kind);
  });

  const text = (type: string, content: string) =>
    markdownOfText(targetKind(type) as 'json' | 'xml' | 'markdown' | 'text', type, content).markdown;

  test('JSON is indented, and no number is rounded', () => {
    expect(text('application/json', '{"a":[1,2]}')).toBe('```json\n{\n  "a": [\n    1,\n    2\n  ]\n}\n```');
    expect(text('application/json', '{"id": 12345678901234567890}')).toContain('12345678901234567890');
    expect(text('application/json', '{"price": 1.50}')).toContain('1.50');
    expect(text('application/json', '{broken')).toBe('```json\n{broken\n```');
  });

  test('prose stays, what Markdown would change is fenced', () => {
    expect(text('text/plain', 'Hello.\r\n\r\nSecond.\r\n')).toBe('Hello.\n\nSecond.');
    expect(text('text/plain', 'a\n    b')).toBe('```\na\n    b\n```');
    expect(text('text/csv', 'a,b\n1,2\n')).toBe('```csv\na,b\n1,2\n```');
    expect(text('text/markdown', '# As *it* is')).toBe('# As *it* is');
  });

  test('images have their name, address and size', () => {
    expect(markdownOfMedia('https://example.com/a%20b.png', { width: 3, height: 4 })).toBe(
      '![a b.png](https://example.com/a%20b.png)\n\n3 × 4 pixels',
    );
    expect(fileName('https://example.com/')).toBe('example.com');
    expect(fileName('https://example.com/%E0%A4%A')).toBe('%E0%A4%A');
  });
});

describe('PDF', () => {
  const item = (str: string, x: number, y: number, size = 10, width = str.length * 5) => ({
    str,
    transform: [size, 0, 0, size, x, y],
    width,
    height: size,
    hasEOL: true,
  });

  test('sizes make headings, distances make paragraphs, hyphens at line ends vanish', () => {
    const lines = linesOfPage(
      [
        item('Title', 50, 700, 20),
        item('The first line of a para-', 50, 670),
        item('graph goes on.', 50, 658),
        item('Another one.', 50, 630),
        item('• a point', 50, 610),
      ],
      [],
    );
    expect(markdownOfPages([lines])).toBe(
      '# Title\n\nThe first line of a paragraph goes on.\n\nAnother one.\n\n- a point',
    );
  });

  test('headers and footers of pages are left out, and words in the area of a link are linked', () => {
    const page = (number: number) =>
      linesOfPage(
        [
          item('Yearly report', 50, 780),
          item(`See page ${number} here`, 50, 700),
          item(`Page ${number} of 3`, 50, 20),
        ],
        [{ url: 'https://example.com/', rect: [50, 695, 65, 712] }],
      );
    expect(markdownOfPages([page(1), page(2), page(3)])).toBe(
      [1, 2, 3].map((number) => `[See](https://example.com/) page ${number} here`).join('\n\n---\n\n'),
    );
  });
});

test('the scripts are functions in one expression, without imports', async () => {
  for (const script of [await extractionScript(), await pdfScript()]) {
    expect(script).toMatch(/^\(\(\) => \{/);
    expect(() => new Function(`return ${script}`)).not.toThrow();
  }
});
