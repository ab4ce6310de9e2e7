import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type BrowserContext, chromium } from 'playwright-core';
import { extractionScript } from '../../apps/host/src/page/extract/extraction-script.ts';
import { startDirectChromium } from '../../tests/fixtures/browsers/direct-chromium.ts';
import type { SetPage } from './sets.ts';

/** What each way makes of a page: Markdown, and how long the first took in the page. */
export interface PageResults {
  ours: string;
  source: string;
  milliseconds: number;
  readability: string;
  turndown: string;
}

const require = createRequire(import.meta.url);

/** An expression: a function that makes Markdown of its page in three ways. */
async function compareScript(): Promise<string> {
  const read = (name: string) => readFile(require.resolve(name), 'utf8');
  const host = createRequire(new URL('../../apps/host/package.json', import.meta.url));
  const readability = await readFile(host.resolve('@mozilla/readability/Readability.js'), 'utf8');
  const turndown = await read('turndown/dist/turndown.js');
  const gfm = await read('turndown-plugin-gfm/dist/turndown-plugin-gfm.js');
  return `((url) => {
const module = undefined;
${turndown}
${gfm}
${readability}
const turn = (root) => new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' })
  .use(turndownPluginGfm.gfm).remove(['script', 'style', 'noscript', 'template']).turndown(root);
const began = performance.now();
const { markdown, source } = (${await extractionScript()})({ url, contentType: 'text/html', frontMatter: false });
const milliseconds = performance.now() - began;
const content = new Readability(document.cloneNode(true)).parse()?.content;
return { ours: markdown, source, milliseconds, readability: content ? turn(content) : '', turndown: turn(document.body.outerHTML) };
})`;
}

/** Shows each page as its address, with nothing but its own HTML, two at once. */
export async function resultsInPages(pages: readonly SetPage[]): Promise<Map<string, PageResults>> {
  await using direct = await startDirectChromium();
  const browser = await chromium.connectOverCDP(direct.url);
  const script = await compareScript();
  const results = new Map<string, PageResults>();
  const left = pages.values();
  const work = async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    for (const page of left) {
      results.set(page.id, await resultsOf(context, page, script));
      if (results.size % 50 === 0) console.error(`${results.size} of ${pages.length} pages`);
    }
    await context.close();
  };
  await Promise.all([work(), work()]);
  await browser.close();
  return results;
}

/** Nothing else is loaded. */
const policy = "default-src 'none'; style-src 'unsafe-inline'";

async function resultsOf(context: BrowserContext, setPage: SetPage, script: string): Promise<PageResults> {
  const page = await context.newPage();
  try {
    const body = await setPage.html();
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy };
    await page.route('**', async (route) => {
      if (route.request().isNavigationRequest()) await route.fulfill({ body, headers });
      else await route.abort();
    });
    const url = URL.parse(setPage.url)?.href ?? 'https://example.com/';
    await page.goto(url, { waitUntil: 'domcontentloaded', timeout: 120_000 });
    const devtools = await context.newCDPSession(page);
    const { frameTree } = await devtools.send('Page.getFrameTree');
    const { executionContextId: contextId } = await devtools.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
    });
    const expression = `(${script})(${JSON.stringify(url)})`;
    const { result, exceptionDetails } = await devtools.send('Runtime.evaluate', {
      expression,
      contextId,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as PageResults;
  } catch (error) {
    console.error(`${setPage.id}: ${error}`);
    return { ours: '', source: 'failed', milliseconds: 0, readability: '', turndown: '' };
  } finally {
    await page.close();
  }
}
