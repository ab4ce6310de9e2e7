import { describe, expect, test } from 'vitest';
import { renderMarkdown } from './markdown.ts';

const nowhere = () => undefined;
const render = (text: string, resolve: (href: string) => string | undefined = (href) => href) =>
  renderMarkdown(text, resolve).content.text;

describe('headings', () => {
  test('have the ids that GitHub gives them, each once', () => {
    const { title, sections } = renderMarkdown(
      '# The `API`\n\nOne.\n\n## 2. Ingestion, for *you*\n\nTwo.\n\n## Same\n\n## Same\n',
      nowhere,
    );
    expect(title).toBe('The API');
    expect(sections.map(({ anchor, heading, text }) => [anchor, heading, text])).toEqual([
      ['the-api', 'The API', 'One.'],
      ['2-ingestion-for-you', '2. Ingestion, for you', 'Two.'],
      ['same', 'Same', ''],
      ['same-1', 'Same', ''],
    ]);
  });

  test('link to themselves, except for the title', () => {
    expect(render('# Title\n')).toBe('<h1 id="title">Title</h1>\n');
    expect(render('## Part\n')).toContain('<a class="anchor" href="#part"');
  });
});

describe('what could run in a page is text', () => {
  test.each([
    ['HTML', '<script>alert(1)</script>'],
    ['HTML in a line', 'a <img src=x onerror=alert(1)> b'],
    ['HTML in code', '`<script>alert(1)</script>`'],
    ['HTML in a block', '```\n<script>alert(1)</script>\n```'],
    ['HTML in a highlighted block', '```js run\n"<script>alert(1)</script>"\n```'],
    ['HTML in a heading', '## <img src=x onerror=alert(1)>'],
    ['a link to a script', '[a](javascript:alert(1))'],
    ['an image from a script', '![a](javascript:alert(1))'],
    ['the language of a block', '```"><script>alert(1)</script>\na\n```'],
    ['the title of a link', '[a](b "\\"><script>alert(1)</script>")'],
  ])('%s', (_name, text) => {
    const page = render(text);
    expect(page).not.toMatch(/<script|<img|href="javascript|src="javascript| onerror=[^&]*>/);
  });
});

describe('links and images', () => {
  test('lead where they are told to', () => {
    const page = render('[Files](files.md#upload) ![A](images/a.png)', (href) => `/docs/${href}`);
    expect(page).toContain('<a href="/docs/files.md#upload">Files</a>');
    expect(page).toContain('<img src="/docs/images/a.png" alt="A" loading="lazy">');
  });

  test('to what is not served are text that names the file', () => {
    const page = render('[the *example*](../examples/a.mjs), [b](b.md)', (href) =>
      href === 'b.md' ? '/docs/b' : undefined,
    );
    expect(page).toBe(
      '<p><span title="In the repository: examples/a.mjs">the <em>example</em></span>, <a href="/docs/b">b</a></p>\n',
    );
  });
});

describe('code', () => {
  test('is highlighted by its language, and known to the copy button', () => {
    const page = render("```js run\nconst a = 'b';\n```\n");
    expect(page).toContain('<div class="sample" data-language="js"><pre tabindex="0"><code>');
    expect(page).toContain('<span class="hljs-keyword">const</span>');
    expect(page.replaceAll(/<[^>]*>/g, '')).toBe('const a = &#x27;b&#x27;;');
  });

  test('of an unknown language, or of none, is shown as it is', () => {
    expect(render('```cobol\nMOVE A & B\n```')).toContain('<code>MOVE A &amp; B</code>');
    expect(render('    indented\n')).toContain('data-language=""><pre tabindex="0"><code>indented</code>');
  });

  test('that a sample prints is not a sample', () => {
    expect(render('```text output\nbr_…\n```\n')).toBe('<pre class="output" tabindex="0">br_…</pre>');
  });
});

test('tables can be scrolled by keyboard', () => {
  expect(render('| a |\n|---|\n| b |\n')).toMatch(
    /^<div class="table" tabindex="0"><table>[\s\S]*<\/table><\/div>\n$/,
  );
});
