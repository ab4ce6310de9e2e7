// @module-tag slow

import { createServer } from 'node:http';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Extracted, ExtractOptions } from '../../apps/host/src/page/extract/extracted.ts';
import { extractionScript, pdfScript } from '../../apps/host/src/page/extract/extraction-script.ts';
import { startDirectChromium } from '../fixtures/browsers/direct-chromium.ts';
import { closeServer, listen } from '../fixtures/network/listen.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks({ wholeFile: true });

let undo: AsyncDisposableStack;
let browser: Browser;
let page: Page;
let devtools: CDPSession;
let origin: string;

interface Target {
  body: string | Buffer;
  type?: string;
  headers?: Record<string, string>;
}
let targets: Record<string, Target> = {};
let requested: string[] = [];

beforeAll(async () => {
  undo = new AsyncDisposableStack();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requested.push(path);
    const target = targets[path];
    if (!target) return void response.writeHead(404).end();
    const { body, type = 'text/html; charset=utf-8', headers = {} } = target;
    response.writeHead(200, { 'content-type': type, ...headers }).end(body);
  });
  origin = `http://127.0.0.1:${await listen(server)}`;
  undo.defer(() => closeServer(server));
  const direct = undo.use(await startDirectChromium());
  browser = await chromium.connectOverCDP(direct.url);
  undo.defer(() => browser.close());
  page = await browser.newPage();
  devtools = await page.context().newCDPSession(page);
});
afterAll(() => undo.disposeAsync());

/** Evaluates an expression as the host does: in a world of its own. */
async function evaluate<T>(expression: string): Promise<T> {
  const { frameTree } = await devtools.send('Page.getFrameTree');
  const { executionContextId: contextId } = await devtools.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'extract',
  });
  const { result, exceptionDetails } = await devtools.send('Runtime.evaluate', {
    expression,
    contextId,
    returnByValue: true,
    awaitPromise: true,
  });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value as T;
}

async function extractTarget(target: Target, options: Partial<ExtractOptions> = {}): Promise<Extracted> {
  targets = { ...targets, '/dir/page': target };
  const url = `${origin}/dir/page`;
  await page.goto(url);
  const all = { url, contentType: target.type ?? 'text/html', ...options };
  return await evaluate(`(${await extractionScript()})(${JSON.stringify(all)})`);
}

const prose =
  'This is a paragraph of an article, with commas, clauses, and enough words to be taken for one, whoever looks at it.';

/** Markdown of what stands in an article between two paragraphs, with the origin written as `ORIGIN`. */
async function markdownOf(html: string, options: Partial<ExtractOptions> = {}): Promise<string> {
  const body = `<!doctype html><title>T</title><main><article><h1>The heading</h1><p>First. ${prose}</p>${html}<p>Last. ${prose}</p></article></main>`;
  const { markdown } = await extractTarget({ body }, { frontMatter: false, ...options });
  const [, inner = markdown] = /First\. .*\n\n([\s\S]*?)\n?\nLast\./.exec(markdown) ?? [];
  return inner.replaceAll(origin, 'ORIGIN').trim();
}

describe('elements', () => {
  test.each<[name: string, html: string, markdown: string]>([
    [
      'emphasis, links and code',
      `<p>Some <b>bold </b>text, <em>emphasis</em>, a <a href="../other?a=1&b=2">link</a>, <code>a\`b</code>, <s>gone</s> and H<sub>2</sub>O.</p>`,
      'Some **bold** text, *emphasis*, a [link](ORIGIN/other?a=1&b=2), ``a`b``, ~~gone~~ and H<sub>2</sub>O.',
    ],
    [
      'line breaks',
      '<p>One line<br>and another.<br><br>A new paragraph.</p>',
      'One line  \nand another.\n\nA new paragraph.',
    ],
    [
      'a table with spans',
      '<table><thead><tr><th>Name</th><th colspan=2>Sizes</th></tr></thead><tbody><tr><td rowspan=2>Chair</td><td>1 | 2</td><td>3</td></tr><tr><td>4</td><td>5<br>6</td></tr></tbody></table>',
      '| Name | Sizes |  |\n| --- | --- | --- |\n| Chair | 1 \\| 2 | 3 |\n| Chair | 4 | 5<br>6 |',
    ],
    [
      'a table without a header',
      '<table><tr><td>one</td><td>1</td></tr><tr><td>two</td><td>2</td></tr></table>',
      '|  |  |\n| --- | --- |\n| one | 1 |\n| two | 2 |',
    ],
    [
      'highlighted code',
      '<div class="highlight highlight-source-js"><pre><span class="pl-k">const</span> x = 1;\n  <span>if</span> (x &lt; 2) {}\n</pre></div>',
      '```js\nconst x = 1;\n  if (x < 2) {}\n```',
    ],
    [
      'lists',
      `<p>A list of things:</p><ul><li>The first thing, which is long enough<ul><li>One that is nested in it</li></ul></li><li>The second thing, which is long enough</li></ul><ol start="3"><li>Third, with an ordinal number</li><li>Fourth, with an ordinal number</li></ol>`,
      'A list of things:\n\n- The first thing, which is long enough\n  - One that is nested in it\n- The second thing, which is long enough\n\n3. Third, with an ordinal number\n4. Fourth, with an ordinal number',
    ],
    [
      'task lists',
      '<ul><li><input type="checkbox" checked> This task is done already</li><li><input type="checkbox"> This task has to be done</li></ul>',
      '- [x] This task is done already\n- [ ] This task has to be done',
    ],
    [
      'definitions',
      '<dl><dt>Gateway</dt><dd>What clients talk to, and what decides</dd><dt>Host</dt><dd>What runs the browsers</dd></dl>',
      'Gateway\n: What clients talk to, and what decides\n\nHost\n: What runs the browsers',
    ],
    [
      'quotes',
      '<blockquote><p>First, a quote.</p><p>It goes on here.</p></blockquote>',
      '> First, a quote.\n>\n> It goes on here.',
    ],
    [
      'formulas',
      `<p>MathML <math><mi>a</mi><mo>≠</mo><mn>0</mn></math>, KaTeX <span class="katex"><span class="katex-mathml"><math><semantics><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow><annotation encoding="application/x-tex">x^2</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">x2</span></span>, MathJax <script type="math/tex">\\frac{1}{2}</script>.</p>`,
      'MathML $a \\neq 0$, KaTeX $x^2$, MathJax $\\frac{1}{2}$.',
    ],
    [
      'images that load late',
      '<p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src="/late.jpg" alt="A [late] one"></p><p><img srcset="/small.jpg 100w, /large.jpg 900w" alt="Of a set"></p>',
      '![A \\[late\\] one](ORIGIN/late.jpg)\n\n![Of a set](ORIGIN/large.jpg)',
    ],
    [
      'text that looks like Markdown',
      '<p># no heading, *no emphasis*, [no](link), &lt;b&gt;, snake_case</p><p>1. no list</p>',
      '\\# no heading, \\*no emphasis\\*, [no]\\(link), \\<b>, snake_case\n\n1\\. no list',
    ],
    [
      'what is hidden',
      `<p style="display:none">Hidden. ${prose}</p><p hidden>Hidden. ${prose}</p><style>.x{visibility:hidden}</style><p class="x">Hidden. ${prose}</p><p>Shown. It is the only one.</p>`,
      'Shown. It is the only one.',
    ],
  ])('%s', async (_name, html, markdown) => {
    expect(await markdownOf(html)).toBe(markdown);
  });

  test('footnotes', async () => {
    const text = await markdownOf(
      `<p>It has a note.<sup id="r1"><a href="#n1">1</a></sup></p><p>${prose}</p><section class="footnotes"><ol><li id="n1"><p>What the note says. <a href="#r1" class="footnote-backref">↩</a></p></li></ol></section>`,
    );
    expect(text).toContain('It has a note.[^1]');
    expect(await markdownOf('', { includeTags: ['body'] })).not.toContain('[^');
  });
});

describe('pages', () => {
  const long = `<p>${prose}</p>`.repeat(6);

  test('navigation, cookie banner and footer are left out, and the page stays as it was', async () => {
    const body = `<!doctype html><html lang="en"><title>A "title": with # marks</title><meta name="author" content="Ann O’Nym"><meta property="og:site_name" content="Site"><meta name="description" content="yes"><link rel="canonical" href="/canonical"><nav><a href="/">Home</a></nav><div class="cookie-banner">We use cookies. <button>Accept</button></div><main><article><h1>A "title": with # marks</h1>${long}</article></main><footer>All rights reserved</footer></html>`;
    const before = await extractTarget({ body }).then(() => page.content());
    const { markdown, ...facts } = await extractTarget({ body });
    expect(facts).toEqual({
      title: 'A "title": with # marks',
      author: 'Ann O’Nym',
      description: 'yes',
      site: 'Site',
      language: 'en',
      canonical: `${origin}/canonical`,
      source: 'defuddle',
    });
    expect(markdown).toMatch(
      /^---\ntitle: "A \\"title\\": with # marks"\nauthor: "Ann O’Nym"\ndescription: "yes"\n/,
    );
    expect(markdown).toContain(prose);
    expect(markdown).not.toMatch(/cookies|Home|rights/);
    expect(await page.content()).toBe(before);
  });

  test('headings keep their level', async () => {
    const body = `<title>T</title><main><article><h1>Above &amp; beyond</h1>${long}<h2>Part</h2>${long}<h3>Deeper</h3>${long}</article></main>`;
    const { markdown } = await extractTarget({ body }, { frontMatter: false });
    expect(markdown.match(/^#.*/gm)).toEqual(['# Above & beyond', '## Part', '### Deeper']);
  });

  test('the whole page, some elements, and all but some', async () => {
    const body = `<title>T</title><nav><a href="/">Home</a></nav><main>${long}<p class="ad">Buy this</p></main><aside id="a">Aside</aside>`;
    const whole = await extractTarget({ body }, { onlyMainContent: false, frontMatter: false });
    expect(whole).toMatchObject({
      source: 'page',
      markdown: expect.stringMatching(/^\[Home\]\([^)]*\)\n\nThis/),
    });
    const some = await extractTarget({ body }, { includeTags: ['.ad', 'aside'], frontMatter: false });
    expect(some).toMatchObject({ source: 'selected', markdown: 'Buy this\n\nAside\n' });
    const { markdown } = await extractTarget(
      { body },
      { onlyMainContent: false, excludeTags: ['.ad', 'nav'] },
    );
    expect(markdown).toContain('Aside');
    expect(markdown).not.toMatch(/Buy|Home/);
    await expect(extractTarget({ body }, { excludeTags: ['p['] })).rejects.toThrow(
      'excludeTags: "p[" is not a CSS selector.',
    );
  });

  test('a policy against scripts and trusted types, and a page that broke its own objects', async () => {
    const script = `for (const name of ['querySelectorAll', 'querySelector', 'cloneNode']) for (const type of [Element, Document, Node]) type.prototype[name] = () => { throw new Error('broken') }; Array.prototype.map = String.prototype.replace = () => 'broken'; window.URL = undefined; getComputedStyle = undefined;`;
    const headers = {
      'content-security-policy':
        "default-src 'none'; script-src 'unsafe-inline'; require-trusted-types-for 'script'; trusted-types 'none'",
    };
    const { markdown, source } = await extractTarget({
      body: `<main><script>${script}</script>${long}</main>`,
      headers,
    });
    expect(source).toBe('defuddle');
    expect(markdown).toContain(prose);
  });

  test('open shadow trees with slots', async () => {
    const body = `<main><my-card><p slot="text">Slotted. ${prose}</p></my-card>${long}</main><script>customElements.define('my-card', class extends HTMLElement { connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<style>p{}</style><div><p>In the shadow. ${prose}</p><slot name="text"></slot></div>'; } });</script>`;
    const { markdown } = await extractTarget({ body });
    expect(markdown).toMatch(/In the shadow\. [\s\S]*Slotted\. /);
    expect(markdown).not.toContain('p{}');
  });

  test('frames of a frameset, and a page whose text is in a frame', async () => {
    targets['/a'] = { body: `<p>Frame A. ${prose}</p>` };
    const set = await extractTarget({
      body: `<html><frameset cols="50%,50%"><frame src="/a"><frame name="far" src="data:text/html,x"></frameset></html>`,
    });
    expect(set.markdown).toContain('Frame A.');
    expect((await extractTarget({ body: '<p>Hi</p><iframe src="/a"></iframe>' })).markdown).toContain(
      'Frame A.',
    );
  });

  test('a page with little text is not empty, and one without any is', async () => {
    for (const body of [
      '<p>Hi</p>',
      '<div><a href="/">Only a link</a></div>',
      '<body style="display:none">Hi there',
      'Hi',
    ]) {
      expect((await extractTarget({ body }, { frontMatter: false })).markdown).toMatch(/Hi|Only a link/);
    }
    expect((await extractTarget({ body: '' }, { frontMatter: false })).markdown.trim()).toBe('');
  });

  test('nothing is requested', async () => {
    const body = `<main>${long}<img data-src="/never.jpg" src="data:,"><template><img src="/never"></template><noscript><img src="/never"></noscript></main>`;
    await extractTarget({ body });
    requested = [];
    await evaluate(
      `(${await extractionScript()})({ url: 'https://www.youtube.com/watch?v=1', contentType: 'text/html' })`,
    );
    await evaluate(
      `(${await extractionScript()})({ url: 'https://x.com/a/status/1', contentType: 'text/html' })`,
    );
    expect(requested).toEqual([]);
  });
});

describe('targets that are not HTML', () => {
  test.each<[type: string, body: string, markdown: string]>([
    ['application/json', '{"a":1}', '```json\n{\n  "a": 1\n}\n```\n'],
    ['text/plain', 'Plain text.\n', 'Plain text.\n'],
    ['application/xml', '<a><b>1</b></a>', '```xml\n<a><b>1</b></a>\n```\n'],
  ])('%s', async (type, body, markdown) => {
    expect((await extractTarget({ type, body }, { frontMatter: false })).markdown).toBe(markdown);
  });

  test('an image', async () => {
    const body = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAAAAAC8LLofAAAADklEQVR4nGNgYPj/n4EBAAYAAf8TyAZJAAAAAElFTkSuQmCC',
      'base64',
    );
    const { markdown } = await extractTarget({ type: 'image/png', body }, { frontMatter: false });
    expect(markdown).toContain(`![page](${origin}/dir/page)`);
  });

  test('a PDF', async () => {
    const body = `<title>A PDF</title><h1>The heading</h1><p>See <a href="https://example.com/">this page</a>. ${prose}</p><p style="break-before: page">The second page.</p>`;
    await extractTarget({ body });
    const pdf = (await page.pdf()).toString('base64');
    const chunks = [pdf.slice(0, 400), pdf.slice(400)];
    const options = { url: 'https://example.com/a.pdf', frontMatter: false };
    const { markdown, title } = await evaluate<Extracted>(
      `(${await pdfScript()})(${JSON.stringify(chunks)}, ${JSON.stringify(options)})`,
    );
    expect(title).toBe('A PDF');
    expect(markdown).toBe(
      `# The heading\n\nSee [this page](https://example.com/). ${prose}\n\n---\n\nThe second page.\n`,
    );
    await expect(evaluate(`(${await pdfScript()})(['AAAA'], ${JSON.stringify(options)})`)).rejects.toThrow(
      'The file is not a PDF, or is damaged.',
    );
  });
});
